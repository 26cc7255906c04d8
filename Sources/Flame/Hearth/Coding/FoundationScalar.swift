import HearthModel

/// A number or a null of Foundation's classes, as `JSONSerialization` makes them.
///
/// The library links none of those classes. Swift casts an `NSNumber` to every type that can hold its
/// value, so that casts alone would make a flag of the integer 1: what it is, its class and its text
/// tell.
enum FoundationScalar {
    /// Reads one value.
    ///
    /// - Returns: `nil` if it is an object of no such class.
    static func value(of any: Any) throws(FirestoreError) -> Value? {
        guard type(of: any) is AnyClass else { return nil }
        switch String(reflecting: type(of: any)) {
        case "Foundation.NSNull": return .null
        case "Foundation.__NSCFBoolean": return .boolean(any as? Bool == true)
        case "Foundation.NSNumber", "Foundation.NSDecimalNumber": return try number(any)
        default: return nil
        }
    }

    /// An integer is written without a point, an exponent or a name.
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
