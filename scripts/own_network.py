#!/usr/bin/env python3
"""Runs a command in a network namespace of its own, which has the loopback alone, IPv4 and IPv6: no process beside it can
hold the port that it asks for, and it reaches no other machine (network_namespaces(7)).

    scripts/own_network.py COMMAND [ARGUMENT ...]

Where this process may not make one (not Linux, not root), the command runs in the network of its caller."""
import ctypes
import os
import socket
import struct
import sys

CLONE_NEWNET = 0x40000000                # sched.h
SIOCGIFFLAGS, SIOCSIFFLAGS = 0x8913, 0x8914  # netdevice(7)
IFF_UP = 1
REQUEST = "16sh14x"                      # struct ifreq with its flags


def leave_network():
    """→ True if this process has its own network now."""
    if sys.platform != "linux" or ctypes.CDLL(None).unshare(CLONE_NEWNET) != 0:
        return False
    import fcntl  # no module of other systems
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        _, flags = struct.unpack(REQUEST, fcntl.ioctl(control, SIOCGIFFLAGS, struct.pack(REQUEST, b"lo", 0)))
        fcntl.ioctl(control, SIOCSIFFLAGS, struct.pack(REQUEST, b"lo", flags | IFF_UP))
    return True


if __name__ == "__main__":
    leave_network()
    os.execvp(sys.argv[1], sys.argv[1:])
