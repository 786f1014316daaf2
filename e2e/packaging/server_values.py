"""Tests that the chart's values reach the memory server: its arguments, ports and Services. Part of packaging_test.py."""


def aliases_and_grants_reach_the_services(t):
    things = t.objects(t.template("--set=memory.aliases={agentops-memory}", "--set=memory.allowedNamespaces={x,y}"))
    services = {o["metadata"]["name"]: o for o in things if o["kind"] == "Service"}
    assert {*services} == {"agent-memory", "agentops-memory"}
    for service in services.values():
        assert service["spec"]["ports"][0]["name"] == "memory"
        assert service["metadata"]["annotations"]["agents.agentops.io/allowed-namespaces"] == "x,y"


def the_console_is_served_unless_it_is_switched_off(t):
    off = "--set=memory.ui=false"
    assert "--ui=" not in t.template() and t.template(off).count("- --ui=false\n") == 1

    def notes(*settings):
        return t.must([*t.helm, "install", t.name, t.chart, "-n", t.name, "--dry-run=client", "--take-ownership", *settings]).split("NOTES:")[1]
    assert f"agent-memory ui -n {t.name}\n" in notes() and "console is off" not in notes()
    assert "console is off (memory.ui: false)" in notes(off) and "agent-memory ui" not in notes(off)


def the_port_of_aegis_is_open_when_it_is_asked_for(t):
    lines = ("- --aegis-listen=:8002\n", "- {name: aegis, containerPort: 8002, protocol: TCP}\n",
             "- {name: aegis, port: 8002, targetPort: aegis, ", "- ports: [{port: 7437, protocol: TCP}, {port: 8002, protocol: TCP}]\n")
    rendered, without = t.template("--set=memory.aegis=true"), t.template()
    for line in lines:
        assert rendered.count(line) == 1, line
    assert "8002" not in without and "aegis" not in without.replace("AEGIS", "")


def quotas_reach_the_server(t):
    args = t.template("--set=memory.quotas.rows=3000000", "--set=memory.quotas.writesPerMinute=0")
    for flag in ("--quota-writes=0", "--quota-burst=6000", "--quota-rows=3000000", "--quota-bytes=2Gi"):
        assert f"- {flag}\n" in args, flag


def retention_reaches_the_server(t):
    args = t.template("--set-json=memory.retention=[{\"type\": \"tool\", \"ttl\": \"720h\", \"maxRows\": 1000000}]")
    assert '- "--retention=[{\\"maxRows\\":1000000,\\"ttl\\":\\"720h\\",\\"type\\":\\"tool\\"}]"\n' in args, args
    assert "--retention" not in t.template()
