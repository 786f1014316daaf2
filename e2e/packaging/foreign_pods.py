"""Tests of the chart's objects for foreign pods, by version of the API server and by value. Part of packaging_test.py."""


def foreign_pods_need_the_whole_cluster(t):
    assert "AdmissionPolic" not in t.template("--set=crds.enabled=false"), "it is there without being asked for"
    chart = t.keyed(t.template("--set=foreignPods.enabled=true"))
    kustomize = t.keyed(t.kustomize("config/overlays/foreign-pods"))
    for name in ("MutatingAdmissionPolicy//agent-memory-foreign-pods", "ClusterRole//agent-memory-operator"):
        assert chart[name] == kustomize[name], name
    for things in (chart, kustomize):
        operator = things["Deployment/agents/agent-memory-operator"]["spec"]["template"]["spec"]["containers"][0]
        assert "--injection-policy=agent-memory-foreign-pods" in operator["args"], operator["args"]
    code, _, error = t.run([*t.helm, "template", "x", t.chart, "--kube-version=1.36.0", "--set=foreignPods.enabled=true", "--set=namespaces={a}"])
    assert code and "leave `namespaces` empty" in error, error


def older_servers_get_a_webhook(t):
    def rendered(version, *more):
        return t.keyed(t.must([*t.helm, "template", "agent-memory", t.chart, "-n", "agents", f"--kube-version={version}",
                                        "--set=foreignPods.enabled=true", *more]))
    name, twin = "MutatingWebhookConfiguration//agent-memory-foreign-pods", "ValidatingWebhookConfiguration//agent-memory-foreign-pods"
    policy, checks = "MutatingAdmissionPolicy//agent-memory-foreign-pods", "ValidatingAdmissionPolicy//agent-memory-foreign-pods"
    for version, more, expected in (("1.36.0", [], {policy, checks}), ("1.35.2", [], {name, checks}), ("1.29.0", [], {name, twin}),
                                    ("1.36.0", ["--set=foreignPods.mode=webhook"], {name, checks})):
        assert {name, twin, policy, checks} & {*rendered(version, *more)} == expected, (version, more)
    kustomize = t.keyed(t.kustomize("config/overlays/foreign-pods-webhook"))
    chart = rendered("1.35.2")
    for key in (name, checks, "ClusterRole//agent-memory-operator", "Role/agents/agent-memory-operator-lease", "Service/agents/agent-memory-operator"):
        assert chart[key] == kustomize[key], key
    for things in (chart, kustomize):
        operator = things["Deployment/agents/agent-memory-operator"]["spec"]["template"]["spec"]["containers"][0]
        assert {"--injection-webhook=agent-memory-foreign-pods", "--webhook-hosts=agent-memory-operator.agents.svc"} <= {*operator["args"]}, operator["args"]
        assert [p["containerPort"] for p in operator["ports"]] == [8080, 9443]
        admitted = things["NetworkPolicy/agents/agent-memory-operator"]["spec"]["ingress"]
        assert [p["port"] for rule in admitted for p in rule["ports"]] == [8080, 9443]
        webhook = things[name]["webhooks"][0]
        assert (webhook["failurePolicy"], webhook["sideEffects"], webhook["reinvocationPolicy"]) == ("Fail", "None", "Never")
        assert webhook["objectSelector"] == {"matchExpressions": [{"key": "agents.agentops.io/memory", "operator": "Exists"}]}
        assert "caBundle" not in webhook["clientConfig"], "it is the operator's"
