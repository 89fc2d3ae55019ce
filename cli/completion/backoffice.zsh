#compdef backoffice
# Completion of backoffice for zsh: source <(backoffice completion zsh), or as the file _backoffice in a folder of $fpath
_backoffice() {
	local -a found shown
	local line
	found=("${(@f)$("${(Q)words[1]/#\~/$HOME}" complete -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
	if [[ "${found[1]}" == ":files" ]]; then
		_files
		return
	fi
	for line in $found; do
		shown+=("${${line/:/\\:}/$'\t'/:}")
	done
	_describe backoffice shown
}
if [[ "$funcstack[1]" == "_backoffice" ]]; then
	_backoffice "$@"
else
	compdef _backoffice backoffice
fi
