"""Measures the processor time that a virtual machine did not get (steal time), which distorts measured latencies."""


class Stolen:
    """The steal time since the creation of the object."""

    def __init__(self):
        self.before = self.read()

    @staticmethod
    def read():
        """(stolen, all) in ticks; see proc_stat(5)."""
        with open("/proc/stat", encoding="ascii") as stat:
            ticks = [int(word) for word in stat.readline().split()[1:9]]
        return ticks[7], sum(ticks)

    def percent(self):
        (stolen, everything), (stolen_before, before) = self.read(), self.before
        return f"{100 * (stolen - stolen_before) / max(1, everything - before):.0f} %"
