#!/usr/bin/env python3
"""The admission webhook under faults, on a real API server: an operator that is down, three that start at once, a
rotation, certificates of 300 days, a deleted Secret. Rows 14 and 56 of docs/acceptance-operator.md;
foreign_pods_test.py --mode webhook tests the injection.

    e2e/operator/webhook_test.py --kubeconfig FILE [--kubectl PATH]

Needs Kubernetes 1.30 or newer and openssl; no node. The last line is "N passed, M failed".
"""
import argparse
import base64
import datetime
import json
import os
import subprocess
import sys
import tempfile
import threading

sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support")]

import wire  # noqa: E402
from foreign_cluster import ADMISSION, PATIENCE_S, Cluster, free_port  # noqa: E402
from programs import Program  # noqa: E402

LIFE_S = 45  # lifetime of the certificates in the test of rotations


def injected(pod):
    return [c["name"] for c in pod["spec"].get("initContainers", [])] == ["memory"]


def webhook(t):
    return t.must("GET", f"{ADMISSION}/mutatingwebhookconfigurations/{t.name}")


def bundle(t):
    return base64.b64decode(webhook(t)["webhooks"][0]["clientConfig"].get("caBundle", "")).decode()


def secret(t):
    return t.call("GET", f"/api/v1/namespaces/{t.name}/secrets/webhook")


class Creates:
    """Creates labelled pods in a thread; the API server calls the webhook over new or kept connections, as it likes."""

    def __init__(self, cluster):
        self.made, self.failed, self.done = 0, [], threading.Event()
        self.cluster, self.thread = cluster, threading.Thread(target=self.run)

    def run(self):
        t = Cluster(self.cluster.kubectl[0], self.cluster.kubeconfig, self.cluster.folder)
        while not self.done.is_set():
            try:
                status, answer = t.create(self.cluster.pod("coder"))
            except Exception as wrong:  # any error counts as a pod that was not created
                status, answer = 0, repr(wrong)
            self.made += 1
            if status != 201 or not injected(answer):
                self.failed.append(str(answer)[:300])
            self.done.wait(0.01)
        t.spaces = []
        t.close()

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.done.set()
        self.thread.join()


def a_webhook_that_is_down_blocks_labelled_pods_only(t):
    assert injected(t.admitted(t.pod("coder")))
    t.program.kill()
    try:
        for i in range(20):
            status, message = t.create(t.pod("coder", f"p-{i}"))
            assert status in (403, 500) and "failed calling webhook" in message, f"{status} {message}"
            assert not injected(t.admitted(t.pod(None, f"p-{i}")))
            left = t.pod("coder", f"p-{i}", hostNetwork=True)
            status, answer = t.create(left)
            assert status == 201 or "PodSecurity" in answer, f"what cannot have a sidecar depends on it: {answer}"
    finally:
        t.start()
    assert wire.until(lambda: t.create(t.pod("coder"))[0] == 201, PATIENCE_S)


def three_that_start_at_once_show_one_certificate(t):
    t.program.kill()
    t.call("DELETE", f"/api/v1/namespaces/{t.name}/secrets/webhook")
    replicas = []
    for i in range(3):
        url = f"127.0.0.1:{free_port()}"
        flags = [f if not f.startswith("--webhook-listen") else f"--webhook-listen={url}" for f in t.flags()]
        program = Program("agent-memory-operator", [f"--kubeconfig={t.kubeconfig}", f"--class={t.name}", *flags,
                                                    f"--lease={t.name}/operator", "--lease-duration=3s"],
                          os.path.join(t.folder, f"replica-{i}.log"), environment={"POD_NAME": f"replica-{i}"})
        replicas.append((program, url))
    starts = [threading.Thread(target=program.start) for program, _ in replicas]
    try:
        for start in starts:
            start.start()
        for start in starts:
            start.join()
        for program, url in replicas:
            assert wire.until(lambda p=program: wire.ask(p.admin, "GET", "/readyz")[0] == 200, PATIENCE_S), program.tail()
        shown = set()
        for _, url in replicas:
            done = subprocess.run(["openssl", "s_client", "-connect", url], input="", capture_output=True, text=True, check=False)
            shown.add(done.stdout.split("-----BEGIN CERTIFICATE-----")[1].split("-----END")[0])
        assert len(shown) == 1, "replicas show different certificates"
        assert bundle(t).count("BEGIN CERTIFICATE") == bundle(t).count("END CERTIFICATE") >= 1
        # A second start uses the Secret of the first one.
        kept = secret(t)[1]["data"]
        replicas[0][0].kill()
        replicas[0][0].start()
        assert wire.until(lambda: wire.ask(replicas[0][0].admin, "GET", "/readyz")[0] == 200, PATIENCE_S)
        assert secret(t)[1]["data"] == kept
    finally:
        for program, _ in replicas:
            program.kill()
        t.start()


def ca_bundle_is_ours_alone_and_nothing_else_is(t):
    for entry in webhook(t)["metadata"]["managedFields"]:
        ours, fields = entry["manager"] == "agentops-operator", json.dumps(entry["fieldsV1"])
        assert ("f:caBundle" in fields) == ours, entry
        assert not ours or fields.count('"f:') == fields.count('"f:webhooks"') + fields.count('"f:name"') + \
            fields.count('"f:clientConfig"') + fields.count('"f:caBundle"'), fields


def a_rotation_turns_no_pod_away(t):
    t.program.kill()
    t.more[:] = [f"--webhook-certificate-life={LIFE_S}s"]
    t.program = None
    t.call("DELETE", f"/api/v1/namespaces/{t.name}/secrets/webhook")
    t.start()
    assert wire.until(lambda: t.create(t.pod("coder"))[0] == 201, PATIENCE_S)
    seen, overlaps = set(), 0
    with Creates(t) as creates:
        def rotated():
            nonlocal overlaps
            seen.add(secret(t)[1]["data"]["tls.crt"])
            overlaps += bundle(t).count("BEGIN CERTIFICATE") >= 2
            return len(seen) >= 3
        assert wire.until(rotated, 4 * LIFE_S, 0.2), "two rotations were waited for"
    print(f"{creates.made} pods through {len(seen) - 1} rotations, {len(creates.failed)} turned away")
    assert not creates.failed, creates.failed[:3]
    assert overlaps and creates.made > 100, (overlaps, creates.made)


def aged(t, days):
    """→ the data of a Secret as the operator would have written it so many days ago."""
    def stamp(delta):
        return (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=delta)).strftime("%Y%m%d%H%M%SZ")
    where = tempfile.mkdtemp(dir=t.folder)
    def run(*argv):
        subprocess.run(["openssl", *argv], cwd=where, check=True, capture_output=True)
    with open(os.path.join(where, "c"), "w", encoding="utf-8") as out:
        out.write("""[ca]\ndefault_ca=d\n[d]\ndatabase=index\nserial=serial\nnew_certs_dir=.\ndefault_md=sha256\npolicy=p\n[p]\ncommonName=supplied
[a]\nbasicConstraints=critical,CA:TRUE\nkeyUsage=keyCertSign\nsubjectKeyIdentifier=hash\n[s]\nsubjectAltName=IP:127.0.0.1\nextendedKeyUsage=serverAuth\n""")
    open(os.path.join(where, "index"), "w", encoding="utf-8").close()
    with open(os.path.join(where, "serial"), "w", encoding="utf-8") as out:
        out.write("1000\n")
    dates = ["-startdate", stamp(-days), "-enddate", stamp(365 - days), "-batch", "-notext", "-config", "c"]
    for name, more in (("ca", ["-selfsign", "-keyfile", "ca.key", "-extensions", "a"]),
                       ("tls", ["-cert", "ca.crt", "-keyfile", "ca.key", "-extensions", "s"])):
        run("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", f"{name}.key")
        run("req", "-new", "-key", f"{name}.key", "-subj", f"/CN={name}", "-out", f"{name}.csr", "-config", "/dev/null")
        run("ca", *dates, *more, "-in", f"{name}.csr", "-out", f"{name}.crt")
    return {name: base64.b64encode(open(os.path.join(where, name), "rb").read()).decode() for name in ("ca.crt", "tls.crt", "tls.key")}


def after_three_hundred_days_it_is_exchanged_and_no_pod_turned_away(t):
    """Simulates the time by the Secret: its certificates are 200, then 300 days old."""
    t.program.kill()
    t.more[:] = []
    t.program = None
    t.call("DELETE", f"/api/v1/namespaces/{t.name}/secrets/webhook")
    old = aged(t, 200)
    t.must("POST", f"/api/v1/namespaces/{t.name}/secrets", {"metadata": {"name": "webhook"}, "data": old})
    t.start()
    assert wire.until(lambda: t.create(t.pod("coder"))[0] == 201, PATIENCE_S)
    assert secret(t)[1]["data"]["tls.crt"] == old["tls.crt"], "200 days are no reason"
    days = lambda: float(next(line.split()[1] for line in wire.ask(t.program.admin, "GET", "/metrics")[1].splitlines()
                              if line.startswith("agent_memory_operator_webhook_certificate_days_left")))
    assert 164 < days() < 166, days()
    with Creates(t) as creates:
        found = secret(t)[1]
        found["data"] = {**aged(t, 300), "former-ca.crt": found["data"]["ca.crt"]}
        t.must("PUT", f"/api/v1/namespaces/{t.name}/secrets/webhook", found)
        both = lambda: bundle(t).count("BEGIN CERTIFICATE") >= 3  # the new one, that of 300 days, that of 200
        assert wire.until(both, PATIENCE_S, 0.2), "no successor was published"
        assert wire.until(lambda: 64 < days() < 66, PATIENCE_S), days()
        assert secret(t)[1]["data"]["next.crt"], "its successor waits until everybody has learned of it"
    print(f"{creates.made} pods at 300 days, {len(creates.failed)} turned away")
    assert creates.made > 20 and not creates.failed, creates.failed[:3]


def a_deleted_secret_comes_back_and_no_pod_is_turned_away(t):
    before = secret(t)[1]
    with Creates(t) as creates:
        t.must("DELETE", f"/api/v1/namespaces/{t.name}/secrets/webhook")
        assert wire.until(lambda: secret(t)[0] == 200, PATIENCE_S), "it is not made anew"
        wire.until(lambda: False, 2)
    after = secret(t)[1]
    assert after["metadata"]["uid"] != before["metadata"]["uid"] and after["data"] == before["data"]
    assert creates.made > 20 and not creates.failed, creates.failed[:3]


def without_validating_policies_the_twin_is_a_webhook(t):
    """As on Kubernetes 1.29: the chart's validating configuration, derived from the mutating one."""
    def rewrite(change):
        found = webhook(t)
        change(found["webhooks"][0])
        t.must("PUT", f"{ADMISSION}/mutatingwebhookconfigurations/{t.name}", found)
    t.must("DELETE", f"{ADMISSION}/validatingadmissionpolicybindings/{t.name}")
    twin = t.configuration()
    twin["kind"], path = "ValidatingWebhookConfiguration", f"{ADMISSION}/validatingwebhookconfigurations"
    twin["webhooks"][0].pop("reinvocationPolicy")
    twin["webhooks"][0]["name"], twin["webhooks"][0]["clientConfig"]["url"] = "memory-twin.agents.agentops.io", f"https://{t.url}/validate"
    t.must("POST", path, twin)
    try:
        t.program.kill()
        t.more[:], t.program = [f"--validation-webhook={t.name}"], None
        t.start()
        assert wire.until(lambda: t.create(t.pod("coder"))[0] == 201, PATIENCE_S), t.create(t.pod("coder"))
        asked = t.must("GET", f"{path}/{t.name}")["webhooks"][0]["clientConfig"]["caBundle"]
        assert base64.b64decode(asked).decode() == bundle(t), "one bundle for both"
        rewrite(lambda w: w.update(objectSelector={"matchLabels": {"nobody": "has"}}))
        refused = lambda: "has no init container memory" in str(t.create(t.pod("coder"))[1])
        assert wire.until(refused, PATIENCE_S), t.create(t.pod("coder"))
        assert not injected(t.admitted(t.pod(None)))
    finally:
        t.call("DELETE", f"{path}/{t.name}")


TESTS = [a_webhook_that_is_down_blocks_labelled_pods_only, three_that_start_at_once_show_one_certificate,
         ca_bundle_is_ours_alone_and_nothing_else_is, a_rotation_turns_no_pod_away,
         after_three_hundred_days_it_is_exchanged_and_no_pod_turned_away,
         a_deleted_secret_comes_back_and_no_pod_is_turned_away, without_validating_policies_the_twin_is_a_webhook]


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--kubeconfig", required=True)
    options.add_argument("--kubectl", default="kubectl")
    options.add_argument("--only", default="", help="tests whose name has this in it")
    asked, failed = options.parse_args(), 0
    ran = [test for test in TESTS if asked.only in test.__name__]
    with tempfile.TemporaryDirectory() as folder:
        t = Cluster(asked.kubectl, asked.kubeconfig, folder, "webhook")
        try:
            t.install()
            t.start()
            t.give(t.agent("coder"))
            t.serves("coder")
            for test in ran:
                try:
                    test(t)
                except (AssertionError, RuntimeError, KeyError, IndexError, OSError, subprocess.CalledProcessError) as wrong:
                    failed += 1
                    print(f"FAILED {test.__name__}: {type(wrong).__name__} {str(wrong)[:2000]}")
        finally:
            t.close()
    print(f"{len(ran) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
