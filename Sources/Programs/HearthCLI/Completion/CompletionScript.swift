import ArgumentParser

/// The script that a shell runs to complete the commands of `hearth`.
///
/// ArgumentParser writes the script. Some functions are added. A path that ends in a slash goes on,
/// so the shell must put no space behind the slash; and the shell must not expand names that others
/// chose.
enum CompletionScript {
    /// Set in the environment by a script for bash that does not expand the answer.
    static let variable = "HEARTH_COMPLETION"

    /// The whole script.
    static func text(for shell: CompletionShell) -> String {
        let script = HearthCommand.completionScript(for: shell)
        return switch shell {
        case .bash: addingNames(to: script) + "\n" + bash
        case .zsh: insertingZsh(into: script)
        default: script + "\n"
        }
    }

    /// Gives the daemon's answers to our function instead of ArgumentParser's, which expands them.
    ///
    /// A shell reads the script and no kernel starts it, so the line `#!` goes.
    private static func addingNames(to script: String) -> String {
        let script =
            script.hasPrefix("#!") ? String(script.drop { !$0.isNewline }.dropFirst()) : script
        return script.replacing(
            "__hearth_add_completions -W \"$(__hearth_custom_complete ",
            with: "__hearth_add_names \"$(\(variable)=1 __hearth_custom_complete ")
    }

    /// `hearth` prints each name as a person would type the name, so bash must neither quote nor
    /// expand names.
    private static let bash = #"""
        __hearth_add_names() {
            local name
            while IFS='' read -r name; do
                [[ -n "${name}" ]] && COMPREPLY+=("${name}")
            done <<<"${1}"
            compopt +o filenames
            [[ "${#COMPREPLY[@]}" -eq 1 && "${COMPREPLY[0]}" = */ ]] && compopt -o nospace
            return 0
        }

        """#

    /// Adds functions that replace functions of the same names. The text therefore stands behind
    /// the replaced functions, and before the lines that run the script.
    private static func insertingZsh(into script: String) -> String {
        var lines = script.split(separator: "\n", omittingEmptySubsequences: false)
        let end = lines.lastIndex { $0.hasPrefix("if [[ \"${funcstack[1]}\"") } ?? lines.endIndex
        lines.insert(
            contentsOf: zsh.split(separator: "\n", omittingEmptySubsequences: false), at: end)
        return lines.joined(separator: "\n") + "\n"
    }

    /// The place of the cursor is counted from the word itself, which may have an open quote.
    private static let zsh = #"""
        __hearth_complete() {
            local -ar whole=("${@:#*/}")
            local -ar open_ended=("${(M)@:#*/}")
            _describe -V '' whole -- open_ended -S ''
        }

        __hearth_cursor_index_in_current_word() {
            printf %s "$((${#words[CURRENT]} - ${#SUFFIX}))"
        }

        """#
}
