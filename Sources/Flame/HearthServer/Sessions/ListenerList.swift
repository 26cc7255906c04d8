import HearthEngine
import HearthWire

/// What a listener listens to, to be put into words where nobody waits for the event loop.
package struct ListenerText: Sendable {
    private let make: @Sendable () -> String

    /// Takes the words, and makes them when they are read. O(the words), each time.
    package init(_ make: @escaping @autoclosure @Sendable () -> String) { self.make = make }

    /// The words.
    package var text: String { make() }
}

/// A part of the list of listeners; the texts are made later.
///
/// A part has a limit of rows, and one answer has a limit of described bytes. So an answer fits a frame,
/// whatever programs listen to.
struct ListenerList: Sendable {
    /// One listener.
    struct Row: Sendable {
        let place: Inspection.Place
        let process: Writer
        let database: EngineKey?
        let text: ListenerText
    }

    /// Rows of one part: with texts of the greatest size and names a third of a frame.
    static let rowCountMax = 2_000
    /// Bytes of one text that are told.
    static let textByteCountMax = 1_024
    /// Bytes of texts after which a part ends: what one answer may take the thread of questions for.
    static let describedByteCountMax = 8 << 20

    private let rows: ArraySlice<Row>
    private let next: Inspection.Place?

    /// Takes rows, in their order.
    ///
    /// - Parameter end: The last session that the rows tell of, if other sessions follow.
    init(_ rows: [Row], goingOnBehind end: UInt64?) {
        self.rows = rows.prefix(Self.rowCountMax)
        next =
            rows.count > Self.rowCountMax
            ? self.rows.last?.place : end.map { Inspection.Place(session: $0, row: .max) }
    }

    /// The part in words. O(bytes of the texts).
    func described() -> Inspection {
        var inspection = Inspection()
        inspection.next = next
        var byteCount = 0
        for (index, row) in zip(rows.indices, rows) {
            let text = row.text.text
            byteCount += text.utf8.count
            inspection.listeners.append(
                Inspection.Listener(
                    session: row.place.session, process: row.process, database: row.database,
                    query: Self.cut(text)))
            if byteCount >= Self.describedByteCountMax, index + 1 < rows.endIndex {
                inspection.next = row.place
                break
            }
        }
        return inspection
    }

    /// The beginning of a long text, and how long the text is.
    private static func cut(_ text: String) -> String {
        guard text.utf8.count > textByteCountMax else { return text }
        let beginning = String(decoding: text.utf8.prefix(textByteCountMax), as: UTF8.self)
        return "\(beginning)… (\(text.utf8.count) bytes)"
    }
}
