"""Computes the text of an nftables table from pods, namespaces and NetworkPolicies. Pure: no I/O.

A pod that a policy selects gets a chain per direction; a packet that matches a rule of any policy
returns from the chain, which drops every other packet at its end. Semantics: the API reference of
networking.k8s.io/v1 NetworkPolicy.
"""
import ipaddress

TABLE = "inet agent-memory-netpol"


def selects(selector, labels):
    """Whether a LabelSelector matches; the empty one matches everything."""
    for key, value in (selector.get("matchLabels") or {}).items():
        if labels.get(key) != value:
            return False
    for term in selector.get("matchExpressions") or []:
        held, values = labels.get(term["key"]), term.get("values") or []
        matches = {"In": held in values, "NotIn": held not in values,
                   "Exists": held is not None, "DoesNotExist": held is None}
        if not matches[term["operator"]]:
            return False
    return True


def running(pods):
    """The running pods that have their own address, reduced to the fields that the rules need."""
    found = []
    for pod in pods:
        spec, status = pod["spec"], pod.get("status") or {}
        if not status.get("podIP") or spec.get("hostNetwork") or status.get("phase") in ("Succeeded", "Failed"):
            continue
        containers = spec["containers"] + (spec.get("initContainers") or [])
        found.append({
            "ips": [one["ip"] for one in status.get("podIPs") or [{"ip": status["podIP"]}]],
            "namespace": pod["metadata"]["namespace"],
            "labels": pod["metadata"].get("labels") or {},
            "ports": {(port["name"], port.get("protocol", "TCP")): port["containerPort"]
                      for container in containers for port in container.get("ports") or [] if "name" in port},
        })
    return found


def block(entry):
    """The ranges of an ipBlock without its exceptions."""
    ranges = [ipaddress.ip_network(entry["cidr"])]
    for hole in map(ipaddress.ip_network, entry.get("except") or []):
        ranges = [rest for whole in ranges
                  for rest in (whole.address_exclude(hole) if hole.subnet_of(whole) else [whole])]
    return ranges


def peer(entry, namespace, pods, spaces):
    """The addresses that one entry of `from` or `to` selects."""
    if "ipBlock" in entry:
        return block(entry["ipBlock"])
    if "namespaceSelector" in entry:
        among = {name for name, labels in spaces.items() if selects(entry["namespaceSelector"], labels)}
    else:
        among = {namespace}
    return [ipaddress.ip_network(ip) for pod in pods for ip in pod["ips"]
            if pod["namespace"] in among and selects(entry.get("podSelector") or {}, pod["labels"])]


def family(address):
    """nftables' word for the family of an address or network."""
    return "ip6" if ":" in str(address) else "ip"


def port(entry, receivers, of):
    """nftables matches of one entry of `ports`, in the family `of`. The receiving pods define a named port."""
    protocol = entry.get("protocol", "TCP")
    match, wanted = protocol.lower(), entry.get("port")
    if wanted is None:
        return [f"meta l4proto {match}"]
    if isinstance(wanted, str):
        return [f"{of} daddr {ip} {match} dport {pod['ports'][wanted, protocol]}"
                for pod in receivers if (wanted, protocol) in pod["ports"] for ip in pod["ips"] if family(ip) == of]
    last = entry.get("endPort")
    return [f"{match} dport {wanted}-{last}" if last else f"{match} dport {wanted}"]


def allowed(rule, side, pod, of, pods, spaces):
    """The matches of one ingress (side "saddr") or egress ("daddr") rule for one selected pod, in the family `of`."""
    entries = rule.get("from" if side == "saddr" else "to")
    if entries:
        addresses = [a for entry in entries for a in peer(entry, pod["namespace"], pods, spaces) if family(a) == of]
        if not addresses:
            return []
        peers = f"{of} {side} {{ {', '.join(map(str, ipaddress.collapse_addresses(addresses)))} }}"
    else:
        peers = ""
    if not rule.get("ports"):
        return [peers]
    receivers = [pod] if side == "saddr" else pods
    return [f"{peers} {match}" for entry in rule["ports"] for match in port(entry, receivers, of)]


def chains(pods, spaces, policies):
    """{("in" or "out", address): {match, ...}} of every pod that some policy isolates."""
    found = {}
    for policy in policies:
        spec = policy["spec"]
        types = spec.get("policyTypes") or (["Ingress", "Egress"] if "egress" in spec else ["Ingress"])
        for pod in pods:
            if pod["namespace"] != policy["metadata"]["namespace"]:
                continue
            if not selects(spec.get("podSelector") or {}, pod["labels"]):
                continue
            for kind, direction, side in (("Ingress", "in", "saddr"), ("Egress", "out", "daddr")):
                for ip in pod["ips"] if kind in types else ():
                    # A pod may always talk to itself, through its own Service too.
                    matches = found.setdefault((direction, ip), {f"{family(ip)} {side} {ip}"})
                    for rule in spec.get(kind.lower()) or []:
                        matches.update(allowed(rule, side, pod, family(ip), pods, spaces))
    return found


def table(pods, namespaces, policies):
    """The whole table as a transaction for `nft -f`. Arguments: the items of the API's lists."""
    spaces = {n["metadata"]["name"]: n["metadata"].get("labels") or {} for n in namespaces}
    isolated = chains(running(pods), spaces, policies)
    lines = [f"table {TABLE} {{}}", f"delete table {TABLE}", f"table {TABLE} {{"]
    def chain(direction, address):  # a name has no colons
        return f"{direction}-{address.replace(':', '_')}"
    for (direction, address), matches in sorted(isolated.items()):
        lines += [f"  chain {chain(direction, address)} {{", *(f"    {match} return" for match in sorted(matches)),
                  "    drop", "  }"]

    def jump(direction, side):
        found = []
        for of in ("ip", "ip6"):
            entries = [f"{ip} : jump {chain(d, ip)}" for d, ip in sorted(isolated) if d == direction and family(ip) == of]
            found += [f"    {of} {side} vmap {{ {', '.join(entries)} }}"] if entries else []
        return found

    # Packets between pods and from outside pass the hook forward, packets to this machine (the API server) the hook input.
    # Packets from this machine (probes) pass neither: the specification exempts them.
    for hook, jumps in (("forward", jump("out", "saddr") + jump("in", "daddr")),
                        ("input", jump("out", "saddr"))):
        lines += [f"  chain {hook} {{", f"    type filter hook {hook} priority -5;",
                  "    ct state established,related accept",
                  # Between pods on the bridge IPv6 finds its neighbours by packets that pass here; IPv4 does so by ARP.
                  "    icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } accept", *jumps, "  }"]
    return "\n".join(lines + ["}"]) + "\n"
