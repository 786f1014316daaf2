#!/usr/bin/env python3
"""Tests the rules that netpol_rules.py computes, without a cluster. The last line is `N passed, M failed`."""
import sys
import unittest

sys.dont_write_bytecode = True
import netpol_rules


def pod(name, ip, labels, namespace="agents", **status):
    return {"metadata": {"name": name, "namespace": namespace, "labels": labels},
            "spec": {"containers": [{"name": "c", "ports": [{"name": "http", "containerPort": 7437}]}]},
            "status": {"podIP": ip, "phase": "Running", **status}}


SERVER = pod("server", "10.244.0.2", {"app": "memory"})
AGENT = pod("agent", "10.244.0.3", {"app": "agent"})
OTHER = pod("other", "10.244.0.4", {"app": "agent"}, namespace="elsewhere")
NAMESPACES = [{"metadata": {"name": n, "labels": {"kubernetes.io/metadata.name": n}}} for n in ("agents", "elsewhere")]


def policy(**spec):
    return {"metadata": {"namespace": "agents"}, "spec": {"podSelector": {"matchLabels": {"app": "memory"}}, **spec}}


def chains(*policies, pods=(SERVER, AGENT, OTHER)):
    spaces = {n["metadata"]["name"]: n["metadata"]["labels"] for n in NAMESPACES}
    return netpol_rules.chains(netpol_rules.running(pods), spaces, policies)


ITSELF = "ip saddr 10.244.0.2"


class Rules(unittest.TestCase):
    def test_no_policy_isolates_nobody(self):
        self.assertEqual(chains(), {})

    def test_a_policy_without_rules_admits_only_the_pod_itself(self):
        self.assertEqual(chains(policy()), {("in", "10.244.0.2"): {ITSELF}})

    def test_a_pod_selector_means_pods_of_the_policys_namespace(self):
        allowed = chains(policy(ingress=[{"from": [{"podSelector": {}}]}]))
        self.assertEqual(allowed["in", "10.244.0.2"], {ITSELF, "ip saddr { 10.244.0.2/31 }"})

    def test_an_empty_namespace_selector_means_every_namespace(self):
        entry = {"namespaceSelector": {}, "podSelector": {"matchLabels": {"app": "agent"}}}
        allowed = chains(policy(ingress=[{"from": [entry]}]))
        self.assertEqual(allowed["in", "10.244.0.2"], {ITSELF, "ip saddr { 10.244.0.3/32, 10.244.0.4/32 }"})

    def test_peers_that_match_nobody_admit_nobody(self):
        entry = {"podSelector": {"matchLabels": {"app": "nobody"}}}
        self.assertEqual(chains(policy(ingress=[{"from": [entry]}]))["in", "10.244.0.2"], {ITSELF})

    def test_an_empty_rule_admits_everybody(self):
        self.assertIn("", chains(policy(ingress=[{}]))["in", "10.244.0.2"])

    def test_a_named_port_is_the_selected_pods(self):
        allowed = chains(policy(ingress=[{"ports": [{"port": "http"}]}]))
        self.assertIn(" ip daddr 10.244.0.2 tcp dport 7437", allowed["in", "10.244.0.2"])

    def test_a_range_of_ports(self):
        allowed = chains(policy(ingress=[{"ports": [{"port": 80, "endPort": 90, "protocol": "UDP"}]}]))
        self.assertIn(" udp dport 80-90", allowed["in", "10.244.0.2"])

    def test_an_exception_is_cut_out_of_a_block(self):
        block = {"ipBlock": {"cidr": "10.0.0.0/30", "except": ["10.0.0.0/31"]}}
        allowed = chains(policy(policyTypes=["Egress"], egress=[{"to": [block]}]))
        self.assertEqual(allowed, {("out", "10.244.0.2"): {"ip daddr 10.244.0.2", "ip daddr { 10.0.0.2/31 }"}})

    def test_each_address_of_a_pod_has_the_rules_of_its_family(self):
        both = [pod("server", "fd00::2", {"app": "memory"}, podIPs=[{"ip": "fd00::2"}, {"ip": "10.244.0.2"}]),
                pod("agent", "fd00::3", {"app": "agent"}, podIPs=[{"ip": "fd00::3"}, {"ip": "10.244.0.3"}])]
        rule = {"from": [{"podSelector": {"matchLabels": {"app": "agent"}}}], "ports": [{"port": "http"}]}
        self.assertEqual(chains(policy(ingress=[rule]), pods=both), {
            ("in", "fd00::2"): {"ip6 saddr fd00::2", "ip6 saddr { fd00::3/128 } ip6 daddr fd00::2 tcp dport 7437"},
            ("in", "10.244.0.2"): {ITSELF, "ip saddr { 10.244.0.3/32 } ip daddr 10.244.0.2 tcp dport 7437"}})
        block = {"to": [{"ipBlock": {"cidr": "2001:db8::/32"}}]}
        self.assertEqual(chains(policy(policyTypes=["Egress"], egress=[block]), pods=both), {
            ("out", "fd00::2"): {"ip6 daddr fd00::2", "ip6 daddr { 2001:db8::/32 }"}, ("out", "10.244.0.2"): {"ip daddr 10.244.0.2"}})
        spaces = [{"metadata": {"name": "agents", "labels": {}}}]
        text = netpol_rules.table(both, spaces, [policy(ingress=[rule])])
        self.assertIn("chain in-fd00__2 {", text)
        self.assertIn("ip6 daddr vmap { fd00::2 : jump in-fd00__2 }", text)

    def test_policies_add_up(self):
        allowed = chains(policy(), policy(ingress=[{"ports": [{"port": 1}]}]), policy(ingress=[{"ports": [{"port": 2}]}]))
        self.assertEqual(allowed["in", "10.244.0.2"], {ITSELF, " tcp dport 1", " tcp dport 2"})

    def test_a_pod_that_has_ended_has_no_address(self):
        self.assertEqual(chains(policy(), pods=[pod("old", "10.244.0.2", {"app": "memory"}, phase="Succeeded")]), {})

    def test_expressions(self):
        selects = netpol_rules.selects
        for operator, values, labels, expected in (
                ("In", ["a"], {"k": "a"}, True), ("In", ["a"], {}, False), ("NotIn", ["a"], {}, True),
                ("NotIn", ["a"], {"k": "a"}, False), ("Exists", None, {"k": ""}, True), ("DoesNotExist", None, {"k": ""}, False)):
            term = {"key": "k", "operator": operator, "values": values}
            self.assertEqual(selects({"matchExpressions": [term]}, labels), expected, term)


result = unittest.TextTestRunner(verbosity=0).run(unittest.defaultTestLoader.loadTestsFromTestCase(Rules))
failed = len(result.failures) + len(result.errors)
print(f"{result.testsRun - failed} passed, {failed} failed")
sys.exit(failed != 0)
