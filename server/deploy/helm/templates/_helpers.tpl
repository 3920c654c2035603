{{- define "decision-service.name" -}}
{{- if contains "decision-service" .Release.Name -}}{{ .Release.Name | trunc 50 | trimSuffix "-" }}
{{- else -}}{{ printf "%s-decision-service" (.Release.Name | trunc 33 | trimSuffix "-") }}{{- end -}}
{{- end -}}

{{- define "decision-service.selector" -}}
app.kubernetes.io/name: decision-service
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "decision-service.labels" -}}
{{ include "decision-service.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}
