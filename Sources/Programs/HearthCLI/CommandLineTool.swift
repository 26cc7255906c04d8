/// The program `hearth`, for whoever runs it: a program of its own, or `hearthd` by another name.
package enum CommandLineTool {
    /// The name by which it is called.
    package static let name = "hearth"

    /// Whether this process was started by that name, whatever its file is.
    package static var isCalled: Bool {
        let path = CommandLine.arguments.first ?? ""
        return path.utf8.split(separator: UInt8(ascii: "/")).last?.elementsEqual(name.utf8) ?? false
    }

    /// Runs the command that the process was started with, and ends the process.
    package static func main() async { await HearthCommand.main() }
}
