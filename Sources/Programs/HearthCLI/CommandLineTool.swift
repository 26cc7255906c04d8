/// The program `hearth`, run by an executable of its own or by `hearthd` under another name.
package enum CommandLineTool {
    /// The name that starts the program.
    package static let name = "hearth"

    /// Whether this process was started under `name`, whatever executable runs.
    package static var isCalled: Bool {
        let path = CommandLine.arguments.first ?? ""
        return path.utf8.split(separator: UInt8(ascii: "/")).last?.elementsEqual(name.utf8) ?? false
    }

    /// The words that the process was started with, as bytes that end with a zero.
    static var words: [UnsafePointer<CChar>] {
        (0..<Int(CommandLine.argc)).compactMap { CommandLine.unsafeArgv[$0] }
            .dropFirst().map { UnsafePointer($0) }
    }

    /// What is wrong with words that are no text; `nil` if all are.
    ///
    /// Read as text all the same, two different names would become one.
    static func complaint(about words: [UnsafePointer<CChar>]) -> String? {
        words.first { String(validatingCString: $0) == nil }.map {
            "\"\(String(cString: $0).oneLine)\" is not UTF-8. Names and values are texts in UTF-8."
        }
    }

    /// Runs the command that the process was started with, and ends the process.
    package static func main() async { await HearthCommand.main() }
}
