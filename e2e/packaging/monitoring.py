"""Tests of the chart's objects for Prometheus and Grafana. Part of e2e/packaging/packaging_test.py, whose Tools are `t`."""
import json
import pathlib
import re
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHART = ROOT / "charts/agent-memory"


def what_is_scraped_has_the_ports(t):
    assert "kind: PodMonitor" not in t.template()
    things = t.objects(t.template("--set=monitoring.podMonitors=true", "--set=namespaces={a}", "--set=monitoring.labels.release=prom"))
    monitors = {o["metadata"]["name"]: o for o in things if "podMetricsEndpoints" in o.get("spec", {})}
    for name, kind in (("operator", "Deployment"), ("memory", "StatefulSet")):
        template = next(o for o in things if o["kind"] == kind)["spec"]["template"]
        spec = monitors[f"agent-memory-{name}"]["spec"]
        port = spec["podMetricsEndpoints"][0]["port"]
        assert port in [p["name"] for c in template["spec"]["containers"] for p in c["ports"]], f"{name}: {port}"
        assert spec["selector"]["matchLabels"].items() <= template["metadata"]["labels"].items()
    agents = monitors["agent-memory-sidecars"]
    assert agents["spec"]["namespaceSelector"] == {"matchNames": ["a", "agents"]}
    assert agents["metadata"]["labels"]["release"] == "prom"
    pods = [pathlib.Path(f).read_text() for f in (ROOT / "operator/testdata").rglob("*") if f.is_file()]
    assert any(f'name: {agents["spec"]["podMetricsEndpoints"][0]["port"]}\n' in pod for pod in pods), "the sidecar's port"


def alerts_fire_and_name_what_is_measured(t):
    """Checks the rules with promtool. Every metric of the rules and of the dashboard must be in docs/operations/monitoring.md, which
    another test compares with the programs."""
    alerts, dashboard = ((CHART / "files" / name).read_text() for name in ("alerts.yaml", "dashboard.json"))
    questions = [target["expr"] for panel in json.loads(dashboard)["panels"] for target in panel.get("targets", [])]
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("alerts.yaml", alerts), ("alerts_test.yaml", (ROOT / "e2e/observability/alerts_test.yaml").read_text()),
                           ("dashboard.yaml", json.dumps({"groups": [{"name": "d", "rules": [
                               {"record": f"panel:{i}", "expr": q} for i, q in enumerate(questions)]}]}))):
            pathlib.Path(folder, name).write_text(text)
        t.must([t.promtool, "check", "rules", f"{folder}/alerts.yaml", f"{folder}/dashboard.yaml"])
        t.must([t.promtool, "test", "rules", f"{folder}/alerts_test.yaml"])
    documented = set(re.findall(r"^\| `(\w+)` \|", (ROOT / "docs/operations/monitoring.md").read_text(), re.M))
    expressions = "\n".join([*questions, *re.findall(r"expr: (.*(?:\n {6}.*)*)", alerts)])
    named = set(re.findall(r"\b(?:agent_memory|workqueue|controller_runtime|rest_client|leader_election|process)_\w+", expressions))
    unknown = {n for n in named if re.sub("_bucket$", "", n) not in documented}
    assert len(named) > 20 and not unknown, unknown
    missing = [a for a in re.findall("alert: (\\w+)", alerts) if f"`{a}`" not in (ROOT / "docs/operations/monitoring.md").read_text()]
    assert not missing, f"docs/operations/monitoring.md does not name {missing}"
    rendered = t.objects(t.template("--set=monitoring.alerts=true", "--set=monitoring.dashboard=true"))
    assert json.loads(next(o for o in rendered if "data" in o)["data"]["agent-memory.json"]) == json.loads(dashboard)
    assert len(next(o for o in rendered if "groups" in o.get("spec", {}))["spec"]["groups"][0]["rules"]) == alerts.count("alert: ")
