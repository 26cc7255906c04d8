import ArgumentParser
import Hearth

/// `hearth doctor`.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Look for what usually goes wrong, and say the cure.",
        discussion: """
            Looks at the socket and who may use it, the daemon, its key, backend and queue of every \
            open database, the disk and the clock. Signs: ok, ?? to be seen to, !! does not work. Ends with status 1 if \
            anything does not work. JSON, an object for each: subject, grade (fine, warning, problem), \
            state, cure.
            """)

    @Option(
        help: ArgumentHelp(
            "How long the daemon and each backend may take, such as 30s; 5 s if nothing is said.",
            valueName: "time"),
        transform: DurationText.parse)
    var timeout: DurationText?
    @OptionGroup var list: FormatOption
    @OptionGroup var connection: OperatorOptions

    /// How long anything may take that is not told otherwise.
    private static let patience = Duration.seconds(5)

    func run() async throws {
        let examiner = Examiner(options: connection, patience: timeout?.duration ?? Self.patience)
        let findings = await examiner.examine().findings
        if list.chosen(json: connection.json) != nil {
            list.print(findings, connection)
        } else {
            for finding in findings where !connection.quiet || finding.grade != .fine {
                for line in finding.lines { Terminal.print(line) }
            }
        }
        if findings.contains(where: { $0.grade == .problem }) { throw Failure(silently: .failed) }
    }
}
