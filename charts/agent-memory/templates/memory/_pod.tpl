{{/* PostgreSQL as YAML: secret, key, authority, requireSync; empty: SQLite. Refuses what contradicts itself. */}}
{{- define "agent-memory.postgres" -}}
{{- $memory := .Values.memory }}
{{- $postgres := $memory.store.postgres | default dict }}
{{- $secret := dig "secretRef" "name" "" $postgres }}
{{- $key := dig "key" "" $postgres }}
{{- $authority := $postgres.caSecretRef | default dict }}
{{- $replicas := int $memory.replicas }}
{{- if ne (empty $secret) (empty $key) }}
{{- fail "memory.store.postgres needs secretRef.name and key: the Secret, and its key with the DSN" }}
{{- end }}
{{- if ne (empty $authority.name) (empty $authority.key) }}
{{- fail "memory.store.postgres.caSecretRef needs name and key" }}
{{- end }}
{{- if and (empty $secret) (gt $replicas 1) }}
{{- fail "memory.replicas: a SQLite file has one writer. For more than 1 set memory.store.postgres: {secretRef: {name: …}, key: …}" }}
{{- end }}
{{- if and $secret .Release.IsUpgrade (not $memory.store.allowChange) }}
{{- fail "memory.store.postgres: if this release had SQLite, its memories stay on the volume, and the database does not have them. Copy them by agent-memory-server migrate (docs/operations/postgres.md), or do without them; then, or if it was PostgreSQL all along, set memory.store.allowChange: true" }}
{{- end }}
{{- if $secret }}
secret: {{ $secret | quote }}
key: {{ $key | quote }}
requireSync: {{ if kindIs "bool" $postgres.requireSync }}{{ $postgres.requireSync }}{{ else }}{{ gt $replicas 1 }}{{ end }}
{{- if $authority.name }}
authority: {name: {{ $authority.name | quote }}, key: {{ $authority.key | quote }}}
{{- end }}
{{- end }}
{{- end -}}

{{/* The template of the server's pods. */}}
{{- define "agent-memory.memoryPod" -}}
{{- $postgres := include "agent-memory.postgres" . | fromYaml -}}
metadata:
  labels: {{- include "agent-memory.labels" (list . "memory") | nindent 4 }}
  annotations:
    kubectl.kubernetes.io/default-container: server
    {{- with .Values.memory.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  serviceAccountName: {{ include "agent-memory.name" . }}
  automountServiceAccountToken: true  # for token reviews
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets: {{- toYaml . | nindent 2 }}
  {{- end }}
  securityContext: {{- include "agent-memory.podSecurity" . | nindent 4 }}
  terminationGracePeriodSeconds: 30
  containers:
  - name: server
    image: {{ .Values.memory.image }}
    imagePullPolicy: {{ .Values.memory.imagePullPolicy }}
    args:
    - --listen=:7437
    - --admin=:7438
    - --data-dir=/data
    - --auth=kubernetes
    - --audience={{ include "agent-memory.audiences" . }}
    {{- if eq (toString .Values.memory.ui) "false" }}
    - --ui=false
    {{- end }}
    {{- if .Values.memory.aegis }}
    - --aegis-listen=:8002
    {{- end }}
    {{- with .Values.memory.quotas }}
    - --quota-writes={{ int64 .writesPerMinute }}
    - --quota-burst={{ int64 .burst }}
    - --quota-rows={{ int64 .rows }}
    - --quota-bytes={{ .bytes }}
    {{- end }}
    {{- with .Values.memory.retention }}
    - {{ printf "--retention=%s" (toJson .) | quote }}
    {{- end }}
    {{- with .Values.auth.anonymous }}
    {{- if .namespace }}
    - --anonymous-namespace={{ .namespace }}
    - --anonymous-role={{ .role }}
    {{- end }}
    {{- end }}
    {{- with .Values.tracing.endpoint }}
    - --otlp-endpoint={{ . }}
    {{- end }}
    {{- with .Values.memory.embeddings }}
    {{- if .url }}
    - --embedding-url={{ .url }}
    {{- with .model }}
    - --embedding-model={{ . }}
    {{- end }}
    {{- if .keySecret.name }}
    - --embedding-key-file=/etc/embeddings/{{ .keySecret.key }}
    {{- end }}
    {{- end }}
    {{- end }}
    {{- with .Values.memory.extraction }}
    {{- if .url }}
    - --extraction-url={{ .url }}
    - --extraction-tokens-per-day={{ int64 .tokensPerDay }}
    {{- if .derive }}
    - --extraction-derive
    {{- end }}
    {{- with .model }}
    - --extraction-model={{ . }}
    {{- end }}
    {{- if .keySecret.name }}
    - --extraction-key-file=/etc/extraction/{{ .keySecret.key }}
    {{- end }}
    {{- end }}
    {{- end }}
    {{- if $postgres }}
    - --store=postgres
    - --dsn-file=/etc/agent-memory/store/{{ $postgres.key }}
    - --require-sync={{ $postgres.requireSync }}
    {{- end }}
    {{- with .Values.memory.extraArgs }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
    ports:
    - {name: memory, containerPort: 7437, protocol: TCP}
    - {name: admin, containerPort: 7438, protocol: TCP}
    {{- if .Values.memory.aegis }}
    - {name: aegis, containerPort: 8002, protocol: TCP}
    {{- end }}
    {{- if and $postgres $postgres.authority }}
    env:
    - {name: HOME, value: /etc/agent-memory/store}  # for libpq's own file of an authority
    {{- end }}
    startupProbe:
      {{- if $postgres }}
      httpGet: {path: /livez, port: admin}  # it starts without its database
      {{- else }}
      httpGet: {path: /readyz, port: admin}
      {{- end }}
      periodSeconds: 1
      failureThreshold: 300  # the server checks a large file before it serves it
    livenessProbe:
      httpGet: {path: /livez, port: admin}
      periodSeconds: 10
      timeoutSeconds: 5
      failureThreshold: 6
    readinessProbe:
      httpGet: {path: /readyz, port: admin}
      periodSeconds: 2
      timeoutSeconds: 2
    resources: {{- toYaml .Values.memory.resources | nindent 6 }}
    securityContext: {{- include "agent-memory.containerSecurity" . | nindent 6 }}
    terminationMessagePolicy: FallbackToLogsOnError
    volumeMounts:
    - {name: data, mountPath: /data}
    - {name: tmp, mountPath: /tmp}
    {{- if $postgres }}
    - {name: store, mountPath: /etc/agent-memory/store, readOnly: true}
    {{- end }}
    {{- if and .Values.memory.embeddings.url .Values.memory.embeddings.keySecret.name }}
    - {name: embeddings, mountPath: /etc/embeddings, readOnly: true}
    {{- end }}
    {{- if and .Values.memory.extraction.url .Values.memory.extraction.keySecret.name }}
    - {name: extraction, mountPath: /etc/extraction, readOnly: true}
    {{- end }}
  volumes:
  - name: tmp  # for sorts of SQLite; the root is read-only
    emptyDir: {sizeLimit: 1Gi}
  {{- with .Values.memory.embeddings }}
  {{- if and .url .keySecret.name }}
  - name: embeddings  # a changed key applies without a restart
    secret: {secretName: {{ .keySecret.name }}, items: [{key: {{ .keySecret.key }}, path: {{ .keySecret.key }}}]}
  {{- end }}
  {{- end }}
  {{- with .Values.memory.extraction }}
  {{- if and .url .keySecret.name }}
  - name: extraction  # a changed key applies without a restart
    secret: {secretName: {{ .keySecret.name }}, items: [{key: {{ .keySecret.key }}, path: {{ .keySecret.key }}}]}
  {{- end }}
  {{- end }}
  {{- if $postgres }}
  - name: data  # room for uploads while they are read
    emptyDir: {sizeLimit: 4Gi}
  - name: store  # a changed address applies without a restart
    projected:
      defaultMode: 0440
      sources:
      - secret: {name: {{ $postgres.secret }}}  # all keys: the address may name files beside it
      - secret: {name: {{ $postgres.secret }}, items: [{key: {{ $postgres.key }}, path: {{ $postgres.key }}}]}
      {{- with $postgres.authority }}
      - secret: {name: {{ .name }}, items: [{key: {{ .key }}, path: .postgresql/root.crt}]}
      {{- end }}
  topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: {{- include "agent-memory.selector" (list . "memory") | nindent 8 }}
    matchLabelKeys: [pod-template-hash]
  {{- end }}
  {{- with include "agent-memory.scheduling" .Values.memory | trim }}
  {{- . | nindent 2 }}
  {{- end }}
{{- end -}}

{{- define "agent-memory.memoryAccount" -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ include "agent-memory.name" . }}
  namespace: {{ .Release.Namespace }}
  labels: {{- include "agent-memory.labels" (list . "memory") | nindent 4 }}
automountServiceAccountToken: false
{{- end -}}
