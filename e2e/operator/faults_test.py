#!/usr/bin/env python3
"""Runs an operator with Roles alone, with changing credentials, on an API server restored from a backup, and beside a
GitOps tool that compares objects.

    e2e/operator/faults_test.py [--kubectl PATH] [--helm PATH] [--compare-after-s 3]

Starts its own API server with e2e/cluster/up, and removes it. The last line is "N passed, M failed"; the measured values
are above it.
"""
import argparse
import base64
import os
import pathlib
import select
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time

sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support")]

from operators import PATIENCE_S, Cluster, leads, metric, run  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
UP, DOWN = str(ROOT / "e2e/cluster/up"), str(ROOT / "e2e/cluster/down")
ACCOUNT = "agent-memory-operator"


def must(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)[:200]}: {done.stderr.strip()[-300:]}")
    return done.stdout


class TlsProxy:
    """A proxy in front of an API server with its own certificate, which can change."""

    def __init__(self, upstream, authority):
        self.upstream = upstream
        self.trust = ssl.create_default_context(cafile=authority)
        self.open = set()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.served = None

    def serve(self, certificate, key):
        """Uses this certificate from now on, and cuts the open connections."""
        served = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        served.load_cert_chain(certificate, key)
        first, self.served = self.served is None, served
        if first:
            threading.Thread(target=self.accept, daemon=True).start()
        self.cut()

    def cut(self):
        for end in list(self.open):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def accept(self):
        while True:
            threading.Thread(target=self.carry, args=(self.listener.accept()[0],), daemon=True).start()

    def carry(self, plain):
        try:
            served = self.served
            client = served.wrap_socket(plain, server_side=True)
            server = self.trust.wrap_socket(socket.create_connection(self.upstream), server_hostname=self.upstream[0])
        except OSError:  # also a refused handshake
            plain.close()
            return
        self.open |= {client, server}
        if served is not self.served:  # the certificate changed during the handshake
            return self.cut()
        try:
            self.pump(client, server)
        except (OSError, ValueError):  # cut: ssl raises ValueError for it
            pass
        for end in (client, server):
            self.open.discard(end)
            end.close()

    @staticmethod
    def pump(client, server):
        """Copies both directions in one thread, since a TLS connection is not thread-safe."""
        other = {client: server, server: client}
        while True:
            for source in [end for end in other if end.pending()] or select.select(list(other), (), ())[0]:
                source.settimeout(0)
                try:
                    block = source.recv(65536)
                except ssl.SSLWantReadError:
                    continue
                if not block:
                    return
                other[source].settimeout(PATIENCE_S)
                other[source].sendall(block)


def authority(folder, name):
    """Creates a certificate authority and its certificate for 127.0.0.1 → (text of the authority, certificate, key)."""
    ca, key, certificate = (os.path.join(folder, f"{name}-{part}") for part in ("ca.crt", "key", "crt"))
    new = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    must("openssl", "req", "-x509", *new, "-days", "2", "-subj", f"/CN={name}", "-keyout", ca + ".key", "-out", ca)
    must("openssl", "req", "-x509", *new, "-days", "2", "-subj", "/CN=api", "-CA", ca, "-CAkey", ca + ".key",
         "-addext", "subjectAltName=IP:127.0.0.1", "-addext", "basicConstraints=critical,CA:FALSE", "-keyout", key, "-out", certificate)
    return pathlib.Path(ca).read_text(), certificate, key


def kubeconfig(t, name, port, ca_file, token_file):
    """Authenticates by a token alone, like a pod's ServiceAccount."""
    return t.file(name, f"""apiVersion: v1
kind: Config
current-context: it
contexts: [{{name: it, context: {{cluster: it, user: it}}}}]
clusters: [{{name: it, cluster: {{server: "https://127.0.0.1:{port}", certificate-authority: {ca_file}}}}}]
users: [{{name: it, user: {{tokenFile: {token_file}}}}}]
""")


def token_of_secret(t, name):
    """A token that expires with the Secret to which it is bound."""
    t.kubectl("create", "secret", "generic", name, "-n", t.namespace)
    return t.kubectl("create", "token", ACCOUNT, "-n", t.namespace, "--bound-object-kind=Secret", f"--bound-object-name={name}")


def install_roles(t, helm, namespaces):
    """Applies only the rights of the chart's namespaced mode."""
    rendered = must(helm, "template", "agent-memory", str(ROOT / "charts/agent-memory"), "-n", t.namespace, "--kube-version", "1.36.0",
                    "--set", "namespaces={" + ",".join(namespaces) + "}", "--set", "crds.enabled=false",
                    "-s", "templates/operator/rbac.yaml")
    assert "kind: ClusterRole" not in rendered, "namespaced mode has Roles alone"
    t.kubectl("apply", "-f", "-", given=rendered)


def api_server(t):
    config = pathlib.Path(t.kubeconfig).read_text()
    port = int(config.split("https://127.0.0.1:")[1].split()[0])
    ca = base64.b64decode(config.split("certificate-authority-data: ")[1].split()[0]).decode()
    return port, t.file("api-ca.crt", ca)


def refused(program):
    return metric(program, "rest_client_requests_total", code="403")


def roles_alone_suffice_for_two_namespaces(t, helm):
    other = t.namespace + "-b"
    t.kubectl("create", "namespace", other)
    t.give_agent(other)
    install_roles(t, helm, [t.namespace, other])
    port, ca_file = api_server(t)
    token_file = t.file("token", t.kubectl("create", "token", ACCOUNT, "-n", t.namespace))
    operator = t.operator(ACCOUNT, kubeconfig(t, "as-account", port, ca_file, token_file), f"{t.namespace},{other}")
    t.seconds_until(lambda: leads(operator))
    for number, namespace in enumerate([t.namespace, other]):
        t.edit(f"example/agent:{number + 1}", namespace)
        t.seconds_until(lambda: t.applied(namespace) == f"example/agent:{number + 1}")  # pylint: disable=cell-var-from-loop
    denied = refused(operator)
    print(f"  Roles of two namespaces: both Agents served, {denied:.0f} calls denied (one asked whether the CRDs are ours)")
    assert denied <= 1
    assert operator.stop(PATIENCE_S) == 0


def token_and_authority_change_under_it(t):
    port, ca_file = api_server(t)
    proxy = TlsProxy(("127.0.0.1", port), ca_file)
    old, new = authority(t.folder, "old"), authority(t.folder, "new")
    proxy.serve(*old[1:])
    trusted, token_file = t.file("trusted.crt", old[0]), t.file("token", token_of_secret(t, "first"))
    operator = t.operator(ACCOUNT, kubeconfig(t, "rotated", proxy.port, trusted, token_file))
    t.seconds_until(lambda: leads(operator))
    t.seconds_until(lambda: t.applied() != "")

    def edit_goes_through(what, image):
        before = metric(operator, "controller_runtime_reconcile_errors_total")
        t.edit(image)
        took = t.seconds_until(lambda: t.applied() == image)
        errors = metric(operator, "controller_runtime_reconcile_errors_total") - before
        print(f"  {what}: an edit applied after {took} s, {errors:.0f} failed reconciles (asked: 1)")
        assert errors <= 1, f"{what}: {errors:.0f} failed reconciles"
    t.file("trusted.crt", old[0] + new[0])
    proxy.serve(*new[1:])
    edit_goes_through("certificate of another authority", "example/agent:ca-both")
    t.file("trusted.crt", new[0])
    proxy.serve(*new[1:])
    edit_goes_through("the old authority is gone", "example/agent:ca-new")
    t.file("token", token_of_secret(t, "second"))
    t.kubectl("delete", "secret", "first", "-n", t.namespace)
    edit_goes_through("the old token is revoked", "example/agent:token")
    # A certificate of the untrusted authority must fail, or the test proves nothing.
    proxy.serve(*old[1:])
    t.edit("example/agent:untrusted")
    time.sleep(3)
    assert t.applied() == "example/agent:token", "an authority that is not trusted any more was taken"
    proxy.serve(*new[1:])
    t.seconds_until(lambda: t.applied() == "example/agent:untrusted")
    assert operator.running and operator.stop(PATIENCE_S) == 0


def restored_server_is_noticed(t, state):
    operator = t.operator("restored")
    t.seconds_until(lambda: leads(operator))
    t.edit("example/agent:kept")
    t.seconds_until(lambda: t.applied() == "example/agent:kept")
    t.quiet()
    must(DOWN, "--state", state)
    shutil.copytree(os.path.join(state, "etcd"), os.path.join(state, "backup"))
    must(UP, "--api-only", "--state", state)
    t.seconds_until(lambda: leads(operator), 2 * PATIENCE_S)
    for number in range(50):
        t.edit(f"example/agent:lost-{number}")
    t.seconds_until(lambda: t.applied() == "example/agent:lost-49")
    must(DOWN, "--state", state)
    shutil.rmtree(os.path.join(state, "etcd"))
    os.rename(os.path.join(state, "backup"), os.path.join(state, "etcd"))
    must(UP, "--api-only", "--state", state)
    t.edit("example/agent:after")
    took = t.seconds_until(lambda: t.applied() == "example/agent:after", PATIENCE_S)
    print(f"  a server restored from a backup: an edit applied after {took} s (asked: 35), same process: {operator.running}")
    assert operator.running and took <= 120 and operator.stop(PATIENCE_S) == 0


def nothing_differs_beside_a_working_operator(t, helm, after_s):
    """Applies chart and samples like Argo CD; meanwhile the operator writes statuses and children."""
    t.kubectl("create", "namespace", "agents")
    chart = must(helm, "template", "agent-memory", str(ROOT / "charts/agent-memory"), "-n", "agents", "--kube-version", "1.36.0")
    samples = must("kubectl", "kustomize", str(ROOT / "config/samples"))
    as_argo = ["--server-side", "--field-manager=argocd-controller"]
    for text in (chart, samples):
        t.kubectl("apply", *as_argo, "--force-conflicts", "-n", "agents", "-f", "-", given=text)
    operator = t.operator("compared", namespaces="agents")
    names = ["agent/coder", "agent/other", "agent/quiet"]
    t.kubectl("wait", "--for=condition=MemoryResolved", *names, "-n", "agents", f"--timeout={PATIENCE_S}s")
    time.sleep(after_s)
    for what, text in (("chart", chart), ("samples", samples)):
        done = subprocess.run([*t.command, "diff", *as_argo, "-n", "agents", "-f", "-"], input=text, capture_output=True, text=True,
                              timeout=120, check=False)
        assert done.returncode == 0, f"{what} differs: {(done.stdout + done.stderr)[-600:]}"
    print(f"  kubectl diff of chart and samples {after_s} s after: nothing")
    assert operator.stop(PATIENCE_S) == 0


def story(t, asked, state):
    t.kubectl("create", "serviceaccount", ACCOUNT, "-n", t.namespace)
    yield "roles_alone_suffice_for_two_namespaces", lambda: roles_alone_suffice_for_two_namespaces(t, asked.helm)
    yield "token_and_authority_change_under_it", lambda: token_and_authority_change_under_it(t)
    yield "nothing_differs_beside_a_working_operator", lambda: nothing_differs_beside_a_working_operator(
        t, asked.helm, asked.compare_after_s)
    yield "restored_server_is_noticed", lambda: restored_server_is_noticed(t, state)


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--kubectl", default="kubectl")
    options.add_argument("--helm", default="helm")
    options.add_argument("--compare-after-s", type=int, default=3)
    asked = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        state = os.path.join(folder, "api")
        try:
            config = must(UP, "--api-only", "--state", state).strip().splitlines()[-1]
            t = Cluster(config, asked.kubectl, folder, "faults")
            return run(t, story(t, asked, state))
        finally:
            subprocess.run([DOWN, "--purge", "--state", state], check=False, timeout=120)


if __name__ == "__main__":
    sys.exit(main())
