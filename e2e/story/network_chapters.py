"""The address families of a cluster: Services and programs are reached by each that it has."""
import ipaddress

import wire
from on_cluster import RELEASE

CONNECT = """
import http.client, json, sys
answers = {}
for address in sys.argv[1:]:
    connection = http.client.HTTPConnection(address, 7437, timeout=10)
    try:
        connection.request("GET", "/health")
        answers[address] = connection.getresponse().status
    except OSError as failure:
        answers[address] = type(failure).__name__
print(json.dumps(answers))
"""


def families_of(addresses):
    return [ipaddress.ip_address(address).version for address in addresses]


def address_families(story):
    c, driver = story.checks, story.driver
    pod = driver.pod("coder")
    mine = families_of(one["ip"] for one in pod["status"]["podIPs"])
    c.chapter(f"d2. Address families: this cluster's pods have {' and '.join(f'IPv{family}' for family in mine)}")
    service = driver.get("service", RELEASE)
    c.equal(service["spec"]["ipFamilyPolicy"], "PreferDualStack", "the memory Service takes the families that there are")
    c.equal(families_of(service["spec"]["clusterIPs"]), mine, "it has an address of each, in the cluster's order")
    servers = driver.pods("app.kubernetes.io/component=memory")
    addresses = [*service["spec"]["clusterIPs"], *(one["ip"] for server in servers for one in server["status"]["podIPs"])]
    said = wire.decode(driver.exec_agent("coder", "python3", "-c", CONNECT, *addresses).encode())
    c.equal(said, {address: 200 for address in addresses}, f"the server answers an agent at each of {len(addresses)} addresses, by Service and by pod")
    status = driver.get("agent", "coder")["status"]["memory"]
    c.equal(status.get("readyEndpoints"), 1, "and is one ready endpoint")
