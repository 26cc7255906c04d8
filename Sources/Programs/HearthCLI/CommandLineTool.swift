/// The program `hearth`, run by an executable of its own or by `hearthd` under another name.
package enum CommandLineTool {
    /// The name that starts the program.
    package static let name = "hearth"

    /// Whether this process was started under `name`, whatever executable runs.
    package static var isCalled: Bool {
        let path = CommandLine.arguments.first ?? ""
        return path.utf8.split(separator: UInt8(ascii: "/")).last?.elementsEqual(name.utf8) ?? false
    }

    /// Runs the command that the process was started with, and ends the process.
    package static func main() async { await HearthCommand.main() }
}
