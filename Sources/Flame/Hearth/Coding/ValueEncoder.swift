#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import HearthModel

/// Turns the values that a programmer may put into a document into values of the model.
struct ValueEncoder {
    /// How many maps and arrays Firestore accepts inside each other.
    static let nestingMax = 20

    /// Reads one value that is no map, no array and no order.
    ///
    /// - Returns: `nil` if Firestore has no such type.
    /// - Throws: `invalidArgument` for a value of a type that Firestore has, but beyond its range.
    static func scalar(_ any: Any) throws(FirestoreError) -> Value? {
        if let value = try FoundationScalar.value(of: any) { return value }
        switch any {
        case let text as String: return .string(text)
        case let flag as Bool: return .boolean(flag)
        case let number as Double: return .double(number)
        case let number as Float: return .double(Double(number))
        case let number as any BinaryInteger:
            guard let exact = Int64(exactly: number) else {
                throw FirestoreError(
                    .invalidArgument, "\(number) is beyond the 64 bits of Firestore's integers.")
            }
            return .integer(exact)
        case let time as Timestamp: return .timestamp(time.model.flooredToMicroseconds)
        case let date as Date:
            return .timestamp(try Timestamp(checking: date).model.flooredToMicroseconds)
        // Swift casts every empty array to `[UInt8]`, so compare the type, too.
        case let bytes as [UInt8] where type(of: any) == [UInt8].self: return .bytes(bytes)
        case let data as Data: return .bytes([UInt8](data))
        case let point as GeoPoint:
            return .geoPoint(
                HearthModel.GeoPoint(latitude: point.latitude, longitude: point.longitude))
        case let vector as VectorValue: return .vector(vector.array)
        case let reference as DocumentReference: return .reference(reference.name)
        case is FirestoreNull: return .null
        default: return nil
        }
    }
}

/// An optional of any type. The encoder recognises `nil` in data by this protocol.
protocol AnyOptional {
    /// The value inside; `nil` if the optional is `nil`.
    var unwrapped: Any? { get }
    /// The `nil` of the type.
    static var nothing: Any { get }
}

extension Optional: AnyOptional {
    static var nothing: Any { Self.none as Any }

    var unwrapped: Any? {
        switch self {
        case .none: nil
        case .some(let value as any AnyOptional): value.unwrapped
        case .some(let value): value
        }
    }
}
