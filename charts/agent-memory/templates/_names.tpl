{{/* Names and labels, once. The Service is called like the release: agents say `serverRef: agent-memory`. */}}
{{- define "agent-memory.name" -}}
{{- .Values.nameOverride | default .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- end -}}

{{- define "agent-memory.operator" -}}
{{- include "agent-memory.name" . }}-operator
{{- end -}}

{{/* Of both policies for pods of others. */}}
{{- define "agent-memory.foreignPods" -}}
{{- include "agent-memory.name" . }}-foreign-pods
{{- end -}}

{{/* How pods of others get sidecars: policy or webhook; empty: not at all. */}}
{{- define "agent-memory.injection" -}}
{{- if not .Values.foreignPods.enabled }}
{{- else if ne .Values.foreignPods.mode "auto" }}{{ .Values.foreignPods.mode }}
{{- else if semverCompare ">=1.36.0-0" .Capabilities.KubeVersion.Version }}policy
{{- else }}webhook
{{- end }}
{{- end -}}

{{/* Whether the API server has ValidatingAdmissionPolicies; before 1.30 the operator says the same. */}}
{{- define "agent-memory.twinIsPolicy" -}}
{{- if semverCompare ">=1.30.0-0" .Capabilities.KubeVersion.Version }}yes{{ end }}
{{- end -}}

{{/* For whom the tokens of callers are made: one for each Service that agents may name. */}}
{{- define "agent-memory.audiences" -}}
{{- range $i, $name := concat (list (include "agent-memory.name" .)) .Values.memory.aliases | uniq }}
{{- if $i }},{{ end }}agent-memory.{{ $.Release.Namespace }}.{{ $name }}
{{- end }}
{{- end -}}

{{/* Labels of one component: (list . "memory") */}}
{{- define "agent-memory.labels" -}}
{{- $top := index . 0 -}}
{{ include "agent-memory.selector" . }}
app.kubernetes.io/part-of: agent-memory
app.kubernetes.io/version: {{ $top.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $top.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" $top.Chart.Name $top.Chart.Version | replace "+" "_" }}
{{- with $top.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* What never changes in a release: selectors of workloads, Services and policies. */}}
{{- define "agent-memory.selector" -}}
{{- $top := index . 0 -}}
app.kubernetes.io/name: agent-memory
app.kubernetes.io/instance: {{ $top.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end -}}

{{/* Pod Security `restricted`, for the pod and for its container. */}}
{{- define "agent-memory.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
fsGroupChangePolicy: OnRootMismatch
seccompProfile: {type: RuntimeDefault}
{{- end -}}

{{- define "agent-memory.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
capabilities: {drop: [ALL]}
seccompProfile: {type: RuntimeDefault}
{{- end -}}

{{/* Where a pod may run. The values of the component. */}}
{{- define "agent-memory.scheduling" -}}
{{- with .nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- end -}}
