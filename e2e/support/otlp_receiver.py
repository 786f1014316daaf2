"""A collector of traces for tests: receives OTLP over HTTP and decodes it with the official protobuf
definitions, so that invalid OTLP becomes a fault. Keeps all spans in memory."""
import http.server
import os
import sys
import threading

try:
    from opentelemetry.proto.collector.trace.v1 import trace_service_pb2
except ImportError:  # a Python that is not Debian's; Debian's packages work in it, too
    sys.path.append("/usr/lib/python3/dist-packages")
    from opentelemetry.proto.collector.trace.v1 import trace_service_pb2


class Span:
    def __init__(self, service, span):
        self.service, self.name, self.kind = service, span.name, span.kind
        self.trace, self.id, self.parent = span.trace_id.hex(), span.span_id.hex(), span.parent_span_id.hex()
        self.attributes = values(span.attributes)
        self.events = [(event.name, values(event.attributes)) for event in span.events]
        self.links = [(link.trace_id.hex(), link.span_id.hex()) for link in span.links]
        self.failed = span.status.code == 2

    def __repr__(self):
        return f"{self.service}: {self.name} ({self.trace[:6]}/{self.id[:6]} < {self.parent[:6]})"


def values(pairs):
    return {pair.key: getattr(pair.value, pair.value.WhichOneof("value")) for pair in pairs}


class Receiver:
    """Listens on an ephemeral port; leaving `with` stops it."""

    def __init__(self):
        self.spans, self.bytes, self.faults, self.lock = [], b"", [], threading.Lock()
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.take(self.path, self.headers["Content-Type"], body)
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        os.environ["NO_PROXY"] = os.environ["no_proxy"] = "127.0.0.1"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def take(self, path, content_type, body):
        request = trace_service_pb2.ExportTraceServiceRequest()
        with self.lock:
            self.bytes += body
            if (path, content_type) != ("/v1/traces", "application/x-protobuf"):
                self.faults.append(f"{path} as {content_type}")
            try:
                request.ParseFromString(body)
            except Exception as error:  # any error of the decoder
                self.faults.append(f"{type(error).__name__}: {error}")
                return
            for resource in request.resource_spans:
                service = values(resource.resource.attributes).get("service.name", "?")
                self.spans += [Span(service, span) for scope in resource.scope_spans for span in scope.spans]

    def find(self, service, name, trace=None):
        with self.lock:
            return [span for span in self.spans if span.service == service and span.name == name
                    and trace in (None, span.trace)]
