package import HearthModel

/// A survey's demand on the memory that the surveys of all engines share.
///
/// The survey says what it holds before it holds more. What the survey has found is in the room until
/// nobody has the answer any more.
package protocol SurveyRoom: AnyObject, Sendable {
    /// Bytes that the survey holds.
    var heldByteCount: Int { get }
    /// Makes room for so many more bytes, or does not.
    func hold(_ byteCount: Int) -> Bool
    /// The survey holds so many bytes less. The room stays the survey's.
    func letGo(_ byteCount: Int)
}

/// Keeps the room of an answer taken for as long as somebody has a copy of the answer.
///
/// All holds are equal: where an answer lies is no part of the answer.
package struct SurveyHold: Hashable, Sendable {
    private let room: (any SurveyRoom)?

    /// Keeps a room; `nil` for an answer that nobody counts.
    package init(_ room: (any SurveyRoom)? = nil) { self.room = room }

    package static func == (lhs: Self, rhs: Self) -> Bool { true }

    package func hash(into hasher: inout Hasher) {}
}

/// What the parts of a survey count, in bytes.
package enum SurveyBytes {
    /// A document that was found, beside its name and fields: its place in a table that may be half
    /// empty, its copy in a sorted set, and its places in the trees of the set.
    package static let document = 640
    /// A document of a picture besides: its places in two lists.
    package static let pictured = 256
    /// A name that the backend gave, or that a program wrote to.
    package static let name = 128
}

extension Document {
    /// About the most bytes that a survey holds for the document. O(parts); O(1) for packed fields.
    package var surveyByteCount: Int {
        SurveyBytes.document + key.path.string.utf8.count + fields.memoryByteCount
    }
}

extension Overlay {
    /// About the most bytes that a survey holds for the effect. O(parts).
    package var surveyByteCount: Int {
        let head = SurveyBytes.document + key.path.string.utf8.count
        let transforms = mutation.transforms.reduce(0) { $0 + $1.surveyByteCount }
        return switch mutation.kind {
        case .set(let fields): head + transforms + fields.memoryByteCount
        case .patch(let fields, let mask):
            mask.paths.reduce(head + transforms + fields.memoryByteCount) {
                $0 + SurveyBytes.name + $1.canonicalString.utf8.count
            }
        case .delete, .verify: head + transforms
        }
    }
}

extension FieldTransform {
    /// About the most bytes that the transform takes in memory. O(parts).
    fileprivate var surveyByteCount: Int {
        let head = SurveyBytes.name + field.canonicalString.utf8.count
        return switch operation {
        case .serverTimestamp: head
        case .increment(let value), .maximum(let value), .minimum(let value):
            head + value.memoryByteCount
        case .arrayUnion(let elements), .arrayRemove(let elements):
            elements.reduce(head) { $0 + $1.memoryByteCount }
        }
    }
}
