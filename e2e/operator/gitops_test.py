#!/usr/bin/env python3
"""Computes the differences that GitOps tools see between a manifest and the object that the API server makes of it, for
every sample, page and accepted case of agents_table.json: there must be none, or an Application stays OutOfSync.

    e2e/operator/gitops_test.py --kubeconfig FILE [--kubectl PATH]

Client-side: Argo CD's default, a three-way merge of last-applied annotation, manifest and live object, in which a list is
one value. Server-side: Argo CD with ServerSideDiff=true, and Flux, a server-side apply as a dry run. Objects of built-in
kinds: kubectl diff, which merges their lists by key like Argo CD. The last line is "N passed, M failed".
"""
import argparse
import concurrent.futures
import copy
import json
import pathlib
import re
import subprocess
import sys
import uuid

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / "support")]

import crds  # noqa: E402
from crd_test import TABLE, Cluster, base, changed  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
GROUP = "agents.agentops.io/"
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
# The API server's own; neither tool compares them.
SERVERS = ("managedFields", "resourceVersion", "uid", "creationTimestamp", "generation")


def merged(live, manifest, applied):
    """What Argo CD predicts: `live` with the values of `manifest`, without fields that only `applied` had (RFC 7386 of
    three objects)."""
    if not isinstance(live, dict) or not isinstance(manifest, dict):
        return manifest
    result = {key: value for key, value in live.items() if key in manifest or key not in applied}
    for key, value in manifest.items():
        result[key] = merged(live.get(key), value, applied.get(key) if isinstance(applied.get(key), dict) else {})
    return result


def differences(one, other, path=""):
    if isinstance(one, dict) and isinstance(other, dict):
        return [d for key in sorted({*one, *other}) for d in differences(one.get(key), other.get(key), f"{path}.{key}")]
    return [] if one == other else [f"{path}: {json.dumps(one)} is to be {json.dumps(other)}"]


def without_servers(thing):
    thing = copy.deepcopy(thing)
    thing.pop("status", None)
    for field in SERVERS:
        thing["metadata"].pop(field, None)
    thing["metadata"].get("annotations", {}).pop(LAST_APPLIED, None)
    if not thing["metadata"].get("annotations"):
        thing["metadata"].pop("annotations", None)
    return thing


def client_side(cluster, manifest):
    """→ the differences after `kubectl apply`."""
    code, out, error = cluster.apply(manifest)
    assert not code, f"refused: {error.strip()[-300:]}"
    live = json.loads(out)
    applied = json.loads(live["metadata"]["annotations"][LAST_APPLIED])
    manifest = without_servers({**manifest, "metadata": {**manifest["metadata"], "namespace": cluster.namespace}})
    return differences(without_servers(live), merged(without_servers(live), manifest, without_servers(applied)))


def server_side(cluster, manifest):
    """→ the differences after a server-side apply."""
    ssa = ("--server-side", "--field-manager=argocd-controller", "--force-conflicts")
    code, out, error = cluster.apply(manifest, *ssa)
    assert not code, f"refused: {error.strip()[-300:]}"
    code, again, error = cluster.apply(manifest, *ssa, "--dry-run=server")
    assert not code, f"refused the second time: {error.strip()[-300:]}"
    return differences(without_servers(json.loads(out)), without_servers(json.loads(again)))


def renamed(manifest):
    manifest = copy.deepcopy(manifest)
    metadata = manifest["metadata"]
    metadata.pop("namespace", None)
    metadata.pop("generateName", None)
    metadata["name"] = "g-" + uuid.uuid4().hex[:10]
    return manifest


def has_null(value):
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return value is None or any(has_null(part) for part in parts)


def decoded(cluster, text):
    """The objects of YAML documents; those of kinds that this API server lacks are left out."""
    found = []
    for document in re.split(r"^---$", text, flags=re.M):
        done = subprocess.run([*cluster.command, "create", "--dry-run=client", "--validate=ignore", "-o", "json", "-f", "-"],
                              input=document, capture_output=True, text=True, timeout=180, check=False)
        if done.returncode == 0 and done.stdout.strip():
            found.append(json.loads(done.stdout))
    return found


def manifests(cluster):
    """Yields (name, object of our kinds) of all samples, pages and accepted cases."""
    count = 0
    for file in sorted((ROOT / "config/samples").rglob("*.yaml")):
        for thing in decoded(cluster, file.read_text()):
            if thing["apiVersion"].startswith(GROUP):
                count += 1
                yield f"{file.name} {thing['metadata'].get('name', '')}", thing
    assert count >= 7, f"{count} samples"
    for page in sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]):
        for block in re.findall(r"^```ya?ml\n(.*?)^```", page.read_text(), flags=re.M | re.S):
            if f"apiVersion: {GROUP}" in block:
                for thing in decoded(cluster, block):
                    if thing["apiVersion"].startswith(GROUP):
                        yield f"{page.name} {thing['kind']} {thing['metadata'].get('name', '')}", thing
    for case in TABLE["good"]:
        thing = changed(base(case), case)
        # A null in git is a person's own difference.
        if not has_null(thing):
            yield f"case: {case['case']}", thing


def of_our_kinds(cluster):
    def look(one):
        name, thing = one
        wrong = []
        for way in (client_side, server_side):
            try:
                wrong += [f"{way.__name__}: {d}" for d in way(cluster, renamed(thing))]
            except AssertionError as refusal:
                wrong.append(f"{way.__name__}: {refusal}")
        return name, "; ".join(wrong)[:1000]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        return list(pool.map(look, manifests(cluster)))


def of_built_in_kinds(cluster):
    """The chart's objects, as config/default has them, and the workload of the samples."""
    text = cluster.must("kustomize", str(ROOT / "config/default")).replace("namespace: agents", f"namespace: {cluster.namespace}")
    text = re.sub(r"^(kind: Namespace\n(?:.*\n)*?  name: )agents$", rf"\g<1>{cluster.namespace}", text, flags=re.M)
    things = [t for t in decoded(cluster, text) if t["kind"] not in ("Namespace", "CustomResourceDefinition")]
    for file in sorted((ROOT / "config/samples/foreign-pods").glob("*.yaml")):
        things += [t for t in decoded(cluster, file.read_text()) if not t["apiVersion"].startswith(GROUP)]
    assert len(things) > 8, len(things)
    for thing in things:
        thing["metadata"].pop("namespace", None)
        if thing["kind"].startswith("ClusterRole"):  # cluster-scoped names of this run
            thing["metadata"]["name"] = f"{cluster.namespace}-{thing['metadata']['name']}"
        wrong = ""
        for way in ([], ["--server-side", "--force-conflicts"]):
            code, _, error = cluster.apply(thing, *way)
            if code:
                wrong += f"refused: {error.strip()[-300:]}"
                continue
            code, out, error = cluster.run("diff", "-n", cluster.namespace, *way, "-f", "-", given=thing)
            wrong += f"kubectl diff {' '.join(way)}: {out[-600:]} {error[-200:]}" if code else ""
        yield f"{thing['kind']} {thing['metadata']['name']}", wrong


def the_test_sees_a_default_inside_a_list(cluster):
    """Otherwise nothing above could fail: a copy of the CRD under another group, with the default of former releases."""
    group = "differs.agentops.io"
    text = (ROOT / "crds/agenttool.yaml").read_text().replace("agents.agentops.io", group)
    crd = json.loads(subprocess.run([*cluster.command, "create", "--dry-run=client", "--validate=ignore", "-o", "json", "-f", "-"],
                                    input=text, capture_output=True, text=True, timeout=180, check=True).stdout)
    spec = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
    spec["list"] = {"type": "array", "items": {"type": "object", "properties": {
        "a": {"type": "string"}, "b": {"type": "string", "default": "x"}}}}
    try:
        cluster.apply(crd)
        cluster.must("wait", "--for=condition=Established", f"crd/{crd['metadata']['name']}", "--timeout=180s")
        thing = changed(base({"base": "tool"}), {"set": {"/apiVersion": f"{group}/v1alpha1", "/spec/list": [{"a": "1"}]}})
        for _ in range(50):
            if cluster.apply(thing, "--dry-run=server")[0] == 0:
                break
        return "" if client_side(cluster, renamed(thing)) and not server_side(cluster, renamed(thing)) else "it sees none"
    finally:
        cluster.run("delete", f"crd/{crd['metadata']['name']}", "--wait=false")


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--kubeconfig", required=True)
    options.add_argument("--kubectl", default="kubectl")
    asked = options.parse_args()
    cluster = Cluster(asked.kubectl, asked.kubeconfig, "gitops-test-" + uuid.uuid4().hex[:6])
    new = crds.install(cluster.command)
    cluster.must("create", "namespace", cluster.namespace)
    try:
        results = [*of_our_kinds(cluster), *of_built_in_kinds(cluster),
                   ("the test sees a default inside a list", the_test_sees_a_default_inside_a_list(cluster))]
    finally:
        left = cluster.run("get", "clusterroles,clusterrolebindings", "-o", "name")[1].split()
        cluster.run("delete", *[one for one in left if f"/{cluster.namespace}-" in one])
        cluster.run("delete", "agents,agentruns,agenttools,memoryservers", "--all", "-n", cluster.namespace, "--wait=false")
        cluster.run("delete", "namespace", cluster.namespace, "--wait=false")
        if new:
            crds.remove(cluster.command)
    failed = [(name, wrong) for name, wrong in results if wrong]
    for name, wrong in failed:
        print(f"FAILED {name}: {wrong}")
    print(f"{len(results) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
