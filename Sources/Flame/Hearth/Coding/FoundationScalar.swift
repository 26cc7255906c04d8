import HearthModel

/// A number or a null of Foundation's classes, as `JSONSerialization` makes them.
///
/// Hearth does not link Foundation, and its code cannot name these classes. Swift casts an
/// `NSNumber` to every type that can hold its value: a cast alone would turn the integer 1 into a
/// flag. So the class's name and the number's text decide.
enum FoundationScalar {
    /// Reads one value.
    ///
    /// - Returns: `nil` if the value is no object of these classes.
    /// - Throws: `invalidArgument` for a number that Firestore cannot hold.
    static func value(of any: Any) throws(FirestoreError) -> Value? {
        guard type(of: any) is AnyClass else { return nil }
        switch String(reflecting: type(of: any)) {
        case "Foundation.NSNull": return .null
        case "Foundation.__NSCFBoolean": return .boolean(any as? Bool == true)
        case "Foundation.NSNumber", "Foundation.NSDecimalNumber": return try number(any)
        default: return nil
        }
    }

    /// Reads a number. A text without a point, an exponent or a name (such as `nan`) is an integer.
    private static func number(_ any: Any) throws(FirestoreError) -> Value {
        let text = "\(any)"
        let isInteger = text.utf8.allSatisfy { byte in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
        }
        if isInteger {
            guard let number = Int64(text) else {
                throw FirestoreError(
                    .invalidArgument, "\(text) is beyond the 64 bits of Firestore's integers.")
            }
            return .integer(number)
        }
        guard let number = any as? Double ?? Double(text) else {
            throw FirestoreError(.invalidArgument, "\(text) is no number that Firestore can hold.")
        }
        return .double(number)
    }
}
