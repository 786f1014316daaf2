#!/usr/bin/env python3
"""Checks that the chart and the kustomizations are equal, refuse typos, and install, upgrade and
uninstall on a real API server without losing an Agent.

    e2e/packaging/packaging_test.py --kubeconfig FILE [--kubectl PATH] [--helm PATH] [--promtool PATH]

Needs no node. Uses its own namespace and release; CRDs that existed before stay, and belong to no
release afterwards.
The last line is "N passed, M failed".
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import uuid

sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support")]

import crds  # noqa: E402
import wire  # noqa: E402
from foreign_pods import foreign_pods_need_the_whole_cluster, older_servers_get_a_webhook  # noqa: E402
from namespaces import another_namespace_gets_the_crds_of_a_removed_release  # noqa: E402
import postgres_values  # noqa: E402
from monitoring import alerts_fire_and_name_what_is_measured, what_is_scraped_has_the_ports  # noqa: E402
from server_values import (aliases_and_grants_reach_the_services, quotas_reach_the_server,  # noqa: E402
                           retention_reaches_the_server, the_console_is_served_unless_it_is_switched_off,
                           the_port_of_aegis_is_open_when_it_is_asked_for)

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHART = str(ROOT / "charts/agent-memory")
OVERLAYS = ["config/default", "config/overlays/namespaced", "config/overlays/restricted",
            "config/overlays/ha", "config/overlays/foreign-pods", "config/overlays/foreign-pods-webhook"]
# Labels and annotations with which Helm or kubectl mark the objects that they install.
MARKS = re.compile(r"helm\.sh/|meta\.helm\.sh/|app\.kubernetes\.io/managed-by|last-applied-configuration")
TYPOS = {
    "operatr.image=x": "operatr", "operator.imag=x": "imag", "memory.storage.sise=1Gi": "sise",
    "crds.keeep=true": "keeep", "networkPolicy.enable=false": "enable", "namespaces=a": "namespaces",
    "memory.imagePullPolicy=always": "imagePullPolicy", "memory.storage.size=1GB": "size", "memory.quotas.row=1": "row", "memory.aegis=8002": "aegis", "memory.ui=auto": "ui", "memory.retention[0].maxrows=1": "maxrows",
    "auth.delegater.create=false": "delegater", "auth.anonymous.role=admin": "role", "operator.extraArgs={admin}": "extraArgs", "tracing.endpoint=collector:4318": "endpoint", "memory.embeddings.url=http://u:p@x": "url", "memory.extraction.tokensPerDay=-1": "tokensPerDay", "namespaces={A}": "namespaces", "monitoring.podMonitor=true": "podMonitor", "replicas=2": "replicas", "foreignPods.enable=true": "enable", "foreignPods.mode=hook": "mode", "operator.replicas=0": "replicas",
}


class Tools:
    chart = CHART

    def __init__(self, asked, name):
        self.kubectl = [asked.kubectl, f"--kubeconfig={asked.kubeconfig}"]
        self.helm = [asked.helm, f"--kubeconfig={asked.kubeconfig}"]
        self.promtool, self.name = asked.promtool, name

    def run(self, command, given=None):
        done = subprocess.run(command, capture_output=True, text=True, input=given, timeout=300)
        return done.returncode, done.stdout, done.stderr.strip()

    def must(self, command, given=None):
        code, out, error = self.run(command, given)
        if code:
            raise RuntimeError(f"{pathlib.Path(command[0]).name} {' '.join(command[2:])[:200]}: {error[-600:]}")
        return out

    def keyed(self, text):
        return by_key(self.objects(text))

    def objects(self, text):
        """Parses manifests with kubectl → JSON objects. Kinds of the Prometheus operator, unknown to it, become ConfigMaps."""
        text = re.sub(r"apiVersion: monitoring.coreos.com/v1\nkind: \w+", "apiVersion: v1\nkind: ConfigMap", text)
        out = self.must([*self.kubectl, "create", "--dry-run=client", "--validate=ignore", "-o", "json", "-f", "-"], text)
        decoder, found, at = json.JSONDecoder(), [], 0
        while at < len(out.rstrip()):
            thing, at = decoder.raw_decode(out, at)
            found += thing["items"] if thing["kind"] == "List" else [thing]
            at += len(out[at:]) - len(out[at:].lstrip())
        return found

    def template(self, *settings):
        return self.must([*self.helm, "template", "agent-memory", CHART, "--namespace=agents", "--skip-tests", "--kube-version=1.36.0", *settings])

    def kustomize(self, folder):
        return self.must([self.kubectl[0], "kustomize", str(ROOT / folder)])


def unmarked(thing):
    """`thing` without the MARKS of Helm or kubectl."""
    if isinstance(thing, dict):
        kept = {k: unmarked(v) for k, v in thing.items() if not MARKS.search(k)}
        return {k: v for k, v in kept.items() if not (k in ("annotations", "labels") and not v)}
    return [unmarked(v) for v in thing] if isinstance(thing, list) else thing


def key(thing):
    return f"{thing['kind']}/{thing['metadata'].get('namespace', '')}/{thing['metadata']['name']}"


def by_key(things):
    return {key(unmarked(t)): unmarked(t) for t in things}


def derived_files_are_current(t):
    t.must([sys.executable, "-B", str(ROOT / "charts/sync"), "--check"])


def chart_lints_and_packs(t):
    t.must([*t.helm, "lint", "--strict", CHART])
    with tempfile.TemporaryDirectory() as folder:
        t.must([*t.helm, "package", CHART, "-d", folder])
        packed = next(pathlib.Path(folder).glob("*.tgz"))
        names = t.must(["tar", "tzf", str(packed)])
        assert names.count("/crd-files/") == 4, names


def chart_and_kustomize_install_the_same(t):
    chart, kustomize = by_key(t.objects(t.template())), by_key(t.objects(t.kustomize("config/default")))
    kustomize.pop("Namespace//agents")
    for name in sorted({*chart, *kustomize}):
        assert chart.get(name) == kustomize.get(name), f"{name} differs"


def crds_are_the_files_of_crds_and_kept(t):
    files = by_key(t.objects(t.kustomize("crds")))
    for keep in (True, False):
        rendered = [o for o in t.objects(t.template(f"--set=crds.keep={json.dumps(keep)}"))
                    if o["kind"] == "CustomResourceDefinition"]
        assert by_key(rendered) == files
        for crd in rendered:
            found = crd["metadata"].get("annotations", {}).get("helm.sh/resource-policy")
            assert found == ("keep" if keep else None), key(crd)
    assert "CustomResourceDefinition" not in t.template("--set=crds.enabled=false")


def values_with_typos_are_refused(t):
    for setting, word in TYPOS.items():
        code, _, error = t.run([*t.helm, "template", "x", CHART, "--kube-version=1.36.0", f"--set={setting}"])
        assert code and word in error, f"{setting}: {error or 'was taken'}"


def traces_go_where_the_value_says(t):
    endpoint = "http://collector.observability:4318"
    rendered = t.template("--set=crds.enabled=false", f"--set=tracing.endpoint={endpoint}")
    assert rendered.count(f"- --otlp-endpoint={endpoint}\n") == 2, "operator and server"
    assert "otlp" not in t.template("--set=crds.enabled=false")


def the_key_of_a_models_endpoint_is_a_file(t):
    for value, flag in (("embeddings", "embedding"), ("extraction", "extraction")):
        rendered = t.template(f"--set=crds.enabled=false,memory.{value}.url=http://tei.ai:8080,memory.{value}.keySecret.name=openai")
        assert flag not in t.template("--set=crds.enabled=false")
        for line in (f"- --{flag}-url=http://tei.ai:8080\n", f"- --{flag}-key-file=/etc/{value}/key\n", "secret: {secretName: openai, ", "- ports: [{port: 8080, protocol: TCP}, {port: 53, "):
            assert rendered.count(line) == 1, line
    assert "- --extraction-derive\n" not in rendered
    assert "- --extraction-derive\n" in t.template("--set=crds.enabled=false,memory.extraction.url=http://tei.ai:8080,memory.extraction.derive=true")


def templates_are_deterministic_and_own_no_custom_object(t):
    for file in pathlib.Path(CHART, "templates").rglob("*"):
        if file.is_file():
            found = re.search(r"\b(lookup|rand\w+|genCA|genSelfSigned\w+|uuidv4|now)\b *[\"(.$]", file.read_text())
            assert not found, f"{file.name}: {found[0]}"
    assert t.template() == t.template()
    assert not [key(o) for o in t.objects(t.template()) if o["apiVersion"].startswith("agents.agentops.io")]


def roles_have_no_wildcards_and_no_secrets(t):
    for settings in ([], ["--set=namespaces={a,b}"]):
        for role in t.objects(t.template(*settings)):
            for rule in role.get("rules", []) if role["kind"].endswith("Role") else []:
                words = [*rule["apiGroups"], *rule["resources"], *rule["verbs"]]
                banned = {"*", "secrets", "pods/exec", "escalate", "bind", "impersonate", "deletecollection"}
                assert not banned & set(words), f"{key(role)}: {rule}"


def namespaces_give_roles_alone(t):
    things = t.objects(t.template("--set=namespaces={a,b}"))
    assert [key(o) for o in things if o["kind"].startswith("ClusterRole")] == [
        "ClusterRoleBinding//agent-memory-auth-delegator"]
    roles = sorted(o["metadata"]["namespace"] for o in things if o["kind"] == "Role")
    assert roles == ["a", "agents", "b"], roles
    operator = next(o for o in things if o["kind"] == "Deployment")
    assert "--namespaces=a,b" in operator["spec"]["template"]["spec"]["containers"][0]["args"]


def replicas_share_one_lease(t):
    things = t.objects(t.template("--set=operator.replicas=2", "--set=nameOverride=x"))
    operator = next(o for o in things if o["kind"] == "Deployment")
    assert operator["spec"]["replicas"] == 2
    assert "--lease=$(POD_NAMESPACE)/x-operator" in operator["spec"]["template"]["spec"]["containers"][0]["args"]
    rules = next(o for o in things if o["kind"] == "Role")["rules"]
    assert [(r.get("resourceNames"), r["verbs"]) for r in rules] == [(["x-operator"], ["get", "patch"]), (None, ["create"])], rules


def a_drain_leaves_one_of_several_replicas(t):
    assert not [o for o in t.objects(t.template()) if o["kind"] == "PodDisruptionBudget"]
    for things in (t.objects(t.template("--set=operator.replicas=2")), t.objects(t.kustomize("config/overlays/ha"))):
        budget = next(o for o in things if o["kind"] == "PodDisruptionBudget")["spec"]
        operator = next(o for o in things if o["kind"] == "Deployment")["spec"]
        assert budget["maxUnavailable"] == 1 and budget["selector"] == operator["selector"], budget
        assert operator["replicas"] == 2


def the_server_asks_who_calls(t):
    def server_args(*settings):
        things = t.objects(t.template(*settings))
        pod = next(o for o in things if o["kind"] == "StatefulSet")["spec"]["template"]["spec"]
        assert pod["automountServiceAccountToken"] is True
        return pod["containers"][0]["args"], {key(o) for o in things}
    args, things = server_args("--set=memory.aliases={agentops-memory}")
    assert "--auth=kubernetes" in args and not [a for a in args if "insecure" in a or "anonymous" in a], args
    assert "--audience=agent-memory.agents.agent-memory,agent-memory.agents.agentops-memory" in args, args
    assert "ClusterRoleBinding//agent-memory-auth-delegator" in things
    args, things = server_args("--set=auth.delegator.create=false", "--set=auth.anonymous.namespace=open")
    assert "--anonymous-namespace=open" in args and "--anonymous-role=reader" in args, args
    assert "ClusterRoleBinding//agent-memory-auth-delegator" not in things


def memory_servers_may_review_tokens_where_the_values_say_so(t):
    def subjects(*settings):
        found = [o for o in t.objects(t.template(*settings)) if o["kind"] == "ClusterRoleBinding" and "delegator" in o["metadata"]["name"]]
        return [(s["namespace"], s["name"]) for o in found for s in o["subjects"]]
    shared = "--set=auth.delegator.memoryServers[0].name=shared", "--set=auth.delegator.memoryServers[0].namespace=x"
    assert subjects(*shared) == [("agents", "agent-memory"), ("x", "shared")]
    assert subjects(*shared, "--set=memory.enabled=false") == [("x", "shared")]
    assert subjects("--set=memory.enabled=false") == []
    args = t.template("--set=memory.image=x/y:1", "--set=memory.enabled=false")
    assert "- --server-image=x/y:1\n" in args, "what MemoryServers run"


def the_only_server_stays_reachable_when_it_is_not_ready(t):
    things = t.objects(t.template("--set=memory.aliases={agentops-memory}"))
    services = [o for o in things if o["kind"] == "Service"]
    assert len(services) == 2 and all(s["spec"]["publishNotReadyAddresses"] is True for s in services), services


def server_takes_chart_and_overlays(t):
    for folder in OVERLAYS:
        text = t.kustomize(folder).replace("namespace: agents", f"namespace: {t.name}")
        t.must([*t.kubectl, "apply", "--dry-run=server", "--server-side", "--force-conflicts", "-f", "-"], text)
    t.must([*t.helm, "install", t.name, CHART, "-n", t.name, "--dry-run=server", "--take-ownership"])


def pods_meet_pod_security_restricted(t):
    made = t.objects(t.template(f"--set=nameOverride={t.name}"))
    made += t.objects(t.template(f"--set={postgres_values.GIVEN},nameOverride={t.name},operator.enabled=false"))
    for thing in made:
        if thing["kind"] not in ("Deployment", "StatefulSet"):
            continue
        pod = {"apiVersion": "v1", "kind": "Pod", **thing["spec"]["template"]}
        pod["metadata"] = {**pod["metadata"], "name": "probe", "namespace": t.name}
        claims = [c["metadata"]["name"] for c in thing["spec"].get("volumeClaimTemplates", [])]
        pod["spec"].setdefault("volumes", []).extend({"name": c, "emptyDir": {}} for c in claims)
        pod["spec"].pop("serviceAccountName")
        code, _, error = t.run([*t.kubectl, "create", "--dry-run=server", "-f", "-"], json.dumps(pod))
        assert code == 0 and "Warning" not in error, f"{key(thing)}: {error}"
        for container in pod["spec"]["containers"]:
            assert {"cpu", "memory"} <= {*container["resources"]["requests"]}, container["name"]


def agents_of_a_repository_settle_follow_an_edit_and_are_pruned(t):
    """Applies like Argo CD and Flux: server-side with strict validation, and pruning of earlier applied objects."""
    sample = t.kustomize("config/samples").replace("namespace: agents", f"namespace: {t.name}")
    apply = ["env", "KUBECTL_APPLYSET=true", *t.kubectl, "apply", "--server-side", "--validate=strict", "--prune",
             "--applyset=configmaps/our-agents", "-n", t.name, "-f", "-"]

    def after(text):
        t.must(apply, text)
        left = json.loads(t.must([*t.kubectl, "get", "agents", "-n", t.name, "-o", "json"]))["items"]
        return {a["metadata"]["name"]: (a["metadata"]["generation"], a["metadata"]["resourceVersion"]) for a in left}
    for name in after(sample):  # like the operator's first reconcile, before which the default of status is not stored
        t.must([*t.kubectl, "patch", "agent", name, "-n", t.name, "--subresource=status", "--type=merge", "-p", '{"status":{"observedGeneration":1}}'])
    first = after(sample)
    assert {*first} == {"coder", "other", "quiet"} and after(sample) == first, "the second time changed something"
    edited = after(sample.replace("contextLimit: 0", "contextLimit: 1"))
    assert edited["quiet"][0] == first["quiet"][0] + 1 and edited["coder"] == first["coder"], edited
    removed = after("---\n".join(d for d in sample.split("---\n") if "name: other" not in d))
    assert {*removed} == {"coder", "quiet"} and removed["coder"] == first["coder"], removed
    code, _, error = t.run(apply, sample.replace("contextLimit", "contextLimt"))
    assert code and "contextLimt" in error, f"a typo was taken: {error}"
    t.must([*t.kubectl, "delete", "agents", "--all", "-n", t.name])


def gitops_samples_are_wellformed(t):
    for file in sorted((ROOT / "config/samples/gitops").glob("*.yaml")):
        text = re.sub(r"^apiVersion: \S+(io|dev)/\S+\nkind: \w+", "apiVersion: v1\nkind: ConfigMap", file.read_text(), flags=re.M)
        found = t.objects(text)
        assert len(found) >= 3 and "charts/agent-memory" in json.dumps(found), file.name
    health = (ROOT / "config/samples/gitops/argocd.yaml").read_text()
    conditions = set(re.findall(r'condition.type == "(\w+)"', health))
    said = set(re.findall(r'"(\w+)"', (ROOT / "operator/agent/status.cc").read_text()))
    assert conditions and conditions <= said, conditions - said


def an_upgrade_serves_the_new_fields_of_the_crds(t):
    install = ["-n", t.name, "--take-ownership"]
    explain = [*t.kubectl, "explain", "agents.spec.memory.ofALaterVersion"]
    t.must([*t.helm, "install", t.name, CHART, *install])
    assert t.run(explain)[0], "the field is there before"
    with tempfile.TemporaryDirectory() as folder:
        later = shutil.copytree(CHART, f"{folder}/chart")
        crd = pathlib.Path(later, "crd-files/agent.yaml")
        text, times = re.subn(r"^( +)(contextLimit:)", r"\1ofALaterVersion: {type: string}\n\1\2", crd.read_text(), count=1, flags=re.M)
        assert times == 1
        crd.write_text(text)
        t.must([*t.helm, "upgrade", t.name, later, *install])
    # The API server publishes a new schema within seconds.
    assert wire.until(lambda: t.run(explain)[0] == 0, 180), "the field is not served"
    t.must([*t.helm, "uninstall", t.name, "-n", t.name])
    t.must([*t.kubectl, "apply", "--server-side", "--force-conflicts", "-k", str(ROOT / "crds")])


def install_upgrade_uninstall_keeps_agents(t):
    install = ["-n", t.name, "--take-ownership"]
    out = t.must([*t.helm, "install", t.name, CHART, *install])
    assert "agent-memory-auth-delegator".replace("agent-memory", t.name) in out, "NOTES do not name the binding"
    assert t.run([*t.kubectl, "auth", "can-i", "create", "tokenreviews.authentication.k8s.io",
                  f"--as=system:serviceaccount:{t.name}:{t.name}"])[1].strip() == "yes"
    samples = "".join(f"---\n{f.read_text()}" for f in sorted((ROOT / "config/samples").glob("*.yaml")))
    t.must([*t.kubectl, "apply", "-f", "-"], samples.replace("namespace: agents", f"namespace: {t.name}"))
    can = lambda *what: t.run([*t.kubectl, "auth", "can-i", *what, "-n", t.name,
                               f"--as=system:serviceaccount:{t.name}:{t.name}-operator"])[1].strip()
    assert can("patch", "agents", "--subresource=status") == "yes"
    assert can("create", "statefulsets.apps") == "yes"
    lease = f"leases.coordination.k8s.io/{t.name}-operator"
    assert can("get", lease) == "yes" and can("patch", lease) == "yes" and can("create", "leases.coordination.k8s.io") == "yes"
    for no in (("get", "secrets"), ("create", "pods", "--subresource=exec"), ("patch", "agents"),
               ("patch", "leases.coordination.k8s.io"), ("delete", lease)):
        assert can(*no) == "no", no
    # A server-side apply of the same manifests, as by GitOps tools, changes nothing.
    text = t.must([*t.helm, "get", "manifest", t.name, "-n", t.name])
    code, out, error = t.run([*t.kubectl, "diff", "--server-side", "--field-manager=helm", "-f", "-"], text)
    assert code == 0, f"kubectl diff: {out[-400:]}{error[-400:]}"
    t.must([*t.helm, "upgrade", t.name, CHART, *install, "--set=memory.aliases={agentops-memory}"])
    t.must([*t.kubectl, "get", "service", "agentops-memory", "-n", t.name])
    t.must([*t.helm, "uninstall", t.name, "-n", t.name])
    left = json.loads(t.must([*t.kubectl, "get", "agents", "-n", t.name, "-o", "json"]))["items"]
    assert sorted(a["metadata"]["name"] for a in left) == ["coder", "other", "quiet"], left
    t.must([*t.helm, "install", t.name, CHART, *install])  # the kept CRDs are no obstacle
    t.must([*t.helm, "uninstall", t.name, "-n", t.name])


TESTS = [derived_files_are_current, chart_lints_and_packs, chart_and_kustomize_install_the_same,
         crds_are_the_files_of_crds_and_kept, values_with_typos_are_refused, traces_go_where_the_value_says, the_key_of_a_models_endpoint_is_a_file,
         templates_are_deterministic_and_own_no_custom_object, roles_have_no_wildcards_and_no_secrets,
         namespaces_give_roles_alone, replicas_share_one_lease, a_drain_leaves_one_of_several_replicas, foreign_pods_need_the_whole_cluster, older_servers_get_a_webhook, what_is_scraped_has_the_ports, alerts_fire_and_name_what_is_measured, aliases_and_grants_reach_the_services, the_console_is_served_unless_it_is_switched_off, the_port_of_aegis_is_open_when_it_is_asked_for, the_server_asks_who_calls,
         memory_servers_may_review_tokens_where_the_values_say_so, the_only_server_stays_reachable_when_it_is_not_ready, quotas_reach_the_server, retention_reaches_the_server,
         server_takes_chart_and_overlays, pods_meet_pod_security_restricted,
         gitops_samples_are_wellformed, agents_of_a_repository_settle_follow_an_edit_and_are_pruned,
         an_upgrade_serves_the_new_fields_of_the_crds, install_upgrade_uninstall_keeps_agents,
         another_namespace_gets_the_crds_of_a_removed_release, *postgres_values.TESTS]


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--kubeconfig", required=True)
    options.add_argument("--kubectl", default="kubectl")
    options.add_argument("--helm", default="helm")
    options.add_argument("--promtool", default="promtool")
    asked = options.parse_args()
    os.environ["PATH"] += f":{pathlib.Path(asked.helm).resolve().parent}"  # for charts/sync
    t = Tools(asked, "packaging-" + uuid.uuid4().hex[:6])
    new = crds.install(t.kubectl)
    t.must([*t.kubectl, "create", "namespace", t.name])
    t.must([*t.kubectl, "label", "namespace", t.name, "pod-security.kubernetes.io/enforce=restricted",
            "pod-security.kubernetes.io/warn=restricted"])
    failed = 0
    try:
        for test in TESTS:
            try:
                test(t)
            except (AssertionError, RuntimeError, subprocess.TimeoutExpired) as wrong:
                failed += 1
                print(f"FAILED {test.__name__}: {wrong}")
    finally:
        t.run([*t.helm, "uninstall", t.name, "-n", t.name])
        t.run([*t.kubectl, "delete", "agents", "--all", "-n", t.name])
        t.run([*t.kubectl, "delete", "namespace", t.name, "--wait=false"])
        if new:
            crds.remove(t.kubectl)
        else:
            t.run([*t.kubectl, "annotate", "-k", str(ROOT / "crds"), "meta.helm.sh/release-name-", "meta.helm.sh/release-namespace-"])
            t.run([*t.kubectl, "label", "-k", str(ROOT / "crds"), "app.kubernetes.io/managed-by-"])
    print(f"{len(TESTS) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
