import ArgumentParser
import Hearth

/// What a writer demands of one write of a document.
struct TermOptions: ParsableArguments {
    @Flag(help: "Write only if the document exists.")
    var ifExists = false
    @Flag(help: "Write only if the document does not exist.")
    var ifMissing = false
    @Option(
        help: ArgumentHelp(
            "Write only if the document was last changed then, as hearth describe and commitTime say.",
            valueName: "time"),
        transform: Self.time)
    var ifUnchangedSince: Timestamp?
    @Option(
        help: ArgumentHelp(
            "Give the write up if it was not sent by then, such as 10m.", valueName: "time"),
        transform: DurationText.parse)
    var expires: DurationText?
    @Flag(help: "Give the write up if the backend is not there.")
    var onlyOnline = false

    func validate() throws {
        let conditions = [ifExists, ifMissing, ifUnchangedSince != nil]
        if conditions.count(where: { $0 }) > 1 {
            throw ValidationError(
                "--if-exists, --if-missing and --if-unchanged-since exclude each other.")
        }
    }

    private static func time(_ text: String) throws -> Timestamp {
        guard case .timestamp(let time)? = try? ValueReader.readArgument("timestamp(\(text))")
        else {
            throw ValidationError(
                "\"\(text)\" is no time such as 2026-01-02T03:04:05.123456Z.")
        }
        return time
    }

    /// What must hold of the document; `nil` for nothing.
    var precondition: Precondition? {
        if ifExists { return .exists(true) }
        if ifMissing { return .exists(false) }
        return ifUnchangedSince.map { .lastUpdateTime($0) }
    }

    /// When the write is given up; `nil` for never.
    var expiry: WriteExpiry? { expires.map { .after($0.duration) } }
}
