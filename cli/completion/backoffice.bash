# Completion of backoffice for bash: source <(backoffice completion bash)
_backoffice() {
	local IFS=$'\n' found
	set -o noglob
	found=($("${1/#\~/$HOME}" complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
	set +o noglob
	COMPREPLY=()
	[ "${found[0]:-}" = :files ] && return # bash's own completion of paths, which stands in where there is none of ours
	type compopt >/dev/null 2>&1 && compopt +o default 2>/dev/null
	COMPREPLY=("${found[@]%%$'\t'*}")
}
complete -o default -F _backoffice backoffice
