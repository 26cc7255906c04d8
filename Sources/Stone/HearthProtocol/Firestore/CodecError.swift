import HearthModel

/// What is wrong with a message, or with a value that no message can hold, and where in it.
package struct CodecError: Error, Hashable, Sendable {
    /// The kinds of fault.
    package enum Problem: Hashable, Sendable {
        /// The bytes are no message of this type.
        case unreadable(type: String)
        /// Something that must be there is not.
        case missing
        /// A number or an enum that means nothing here.
        case unknown(value: String)
        /// A name of a database, document or field that cannot be read, and why.
        case badName(String, reason: String)
        /// A node of the Realtime Database that is none, or may not be at its place, and why.
        ///
        /// Without a place, what is written comes before the place is known.
        case badNode(at: String?, reason: String)
        /// A number outside its range.
        case outOfRange(value: String)
        /// Legal, but nothing that we can hold, and why.
        case unsupported(reason: String)
        /// Maps and arrays inside each other, deeper than `FirestoreCodec.nestingMax`.
        case tooDeep
    }

    /// What is wrong.
    package let problem: Problem
    /// Where, from the outside in: names of message fields, keys of maps, indexes of arrays.
    package private(set) var place: [String]

    /// Reports a problem at a place below the one that is being read.
    package init(_ problem: Problem, at place: String...) {
        self.problem = problem
        self.place = place
    }

    /// The same problem as seen from one level further out.
    package func inside(_ outer: String) -> CodecError {
        var error = self
        error.place.insert(outer, at: 0)
        return error
    }
}

extension CodecError: CustomStringConvertible {
    package var description: String {
        let subject = place.isEmpty ? "The message" : "\"\(place.joined(separator: "."))\""
        return switch problem {
        case .unreadable(let type): "\(subject) is not a readable \(type)."
        case .missing: "\(subject) is missing."
        case .unknown(let value): "\(subject) is \(value), which has no meaning here."
        case .badName(let name, let reason):
            "\(subject) is \"\(PathError.brief(name))\": \(reason)."
        case .badNode(let place, let reason):
            "What is to be written"
                + (place.map { " at \(PathError.brief($0))" } ?? "") + " is no value: \(reason)"
        case .outOfRange(let value): "\(subject) is \(value), which is out of range."
        case .unsupported(let reason): "\(subject) cannot be held: \(reason)."
        case .tooDeep:
            "\(subject) nests maps and arrays more than \(FirestoreCodec.nestingMax) deep."
        }
    }
}

/// Evaluates `body`; an error gets `place` as its outermost level.
///
/// Costs nothing until there is an error, since the place is a closure too.
@inline(__always)
func at<Result>(
    _ place: @autoclosure () -> String, _ body: @autoclosure () throws(CodecError) -> Result
) throws(CodecError) -> Result {
    do throws(CodecError) {
        return try body()
    } catch {
        throw error.inside(place())
    }
}
