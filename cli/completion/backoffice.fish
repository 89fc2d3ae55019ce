# Completion of backoffice for fish: backoffice completion fish | source
function __backoffice_complete
	set -l before (commandline -opc)
	set -l current (commandline -ct)
	set -l program (string replace -r '^~' $HOME $before[1])
	set -l found ($program complete -- $before[2..-1] "$current" 2>/dev/null)
	if test "$found[1]" = :files
		__fish_complete_path "$current"
	else
		printf '%s\n' $found
	end
end
complete -c backoffice -k -f -a '(__backoffice_complete)'
