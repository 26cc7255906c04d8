#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
import HearthModel

extension Firestore {
    /// Makes a value of a `Decodable` type of a document.
    ///
    /// Only one thread at a time may use a decoder. Each thread may have its own decoder.
    public final class Decoder {
        /// How dates are read.
        public enum DateDecodingStrategy: Sendable {
            /// From a timestamp, or else as `Date` decodes itself.
            case timestamp
            /// As `Date` decodes itself: from a number of seconds since 2001.
            case deferredToDate
            /// From a number of seconds since 1970.
            case secondsSince1970
            /// From a number of milliseconds since 1970.
            case millisecondsSince1970
            /// From a string such as `2026-01-02T03:04:05Z`.
            case iso8601
            /// As the function reads the date.
            case custom(@Sendable (any Swift.Decoder) throws -> Date)

            /// From a timestamp, or else by another strategy.
            public static func timestamp(fallback: Self) -> Self {
                .custom { decoder in
                    let container = try decoder.singleValueContainer()
                    if let time = try? container.decode(Timestamp.self) { return time.dateValue() }
                    return try fallback.date(from: decoder)
                }
            }
        }

        /// How `Data` is read.
        public enum DataDecodingStrategy: Sendable {
            /// From bytes.
            case blob
            /// As `Data` decodes itself: from an array of numbers.
            case deferredToData
            /// From a string in Base64.
            case base64
            /// As the function reads the bytes.
            case custom(@Sendable (any Swift.Decoder) throws -> Data)
        }

        /// Whether strings can stand for infinities and for NaN.
        public enum NonConformingFloatDecodingStrategy: Sendable {
            /// No: a string is no number.
            case `throw`
            /// Yes: these strings.
            case convertFromString(positiveInfinity: String, negativeInfinity: String, nan: String)
        }

        /// How the names of fields become keys of a type. The keys of a dictionary stay as they
        /// are.
        public enum KeyDecodingStrategy: Sendable {
            /// Names stay as they are.
            case useDefaultKeys
            /// `my_url_property` as `myUrlProperty`.
            case convertFromSnakeCase
            /// The function returns the key. The function gets the names on the path from the
            /// document down to the field, the field's own name last.
            case custom(@Sendable ([any CodingKey]) -> any CodingKey)
        }

        /// How dates are read.
        public var dateDecodingStrategy = DateDecodingStrategy.timestamp
        /// How `Data` is read.
        public var dataDecodingStrategy = DataDecodingStrategy.blob
        /// Whether strings can stand for infinities and for NaN.
        public var nonConformingFloatDecodingStrategy = NonConformingFloatDecodingStrategy.throw
        /// How the names of fields become keys.
        public var keyDecodingStrategy = KeyDecodingStrategy.useDefaultKeys
        /// Values that types with their own `init(from:)` can look up.
        public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

        /// A decoder with strategies that suit Firestore.
        public init() {}

        /// Reads a document's fields.
        ///
        /// - Parameters:
        ///   - type: The type of the value.
        ///   - snapshot: The document.
        ///   - serverTimestampBehavior: What the decoder reads for a server timestamp that the
        ///     backend has not set yet.
        /// - Throws: `FirestoreError` `notFound` if there is no document; `DecodingError` if the
        ///   document's fields do not fit the type.
        public func decode<T: Decodable>(
            _ type: T.Type, from snapshot: DocumentSnapshot,
            with serverTimestampBehavior: ServerTimestampBehavior = .none
        ) throws -> T {
            try strategies.decode(type, from: snapshot, with: serverTimestampBehavior)
        }

        /// Reads a dictionary of the kind that `setData` takes, as if a document held its fields.
        ///
        /// - Parameters:
        ///   - type: The type of the value.
        ///   - data: The fields.
        ///   - document: The document that the fields belong to. Without a document, the decoder
        ///     cannot read a `@DocumentID`.
        /// - Throws: `FirestoreError` `invalidArgument` for data that Firestore cannot hold;
        ///   `DecodingError` if the fields do not fit the type.
        public func decode<T: Decodable>(
            _ type: T.Type, from data: [String: Any], in document: DocumentReference? = nil
        ) throws -> T {
            guard case .map(let fields) = try UserData.encodeOperand(data) else {
                throw FirestoreError(.invalidArgument, "Fields are to be decoded.")
            }
            return try FieldDecoder.decode(
                type, from: fields,
                FieldDecoder.Context(
                    reference: document, firestore: document?.firestore ?? Self.firestore(of: data),
                    behavior: .none, strategies: strategies))
        }

        /// The decoder's choices at this moment.
        var strategies: DecodingStrategies {
            DecodingStrategies(
                date: dateDecodingStrategy, data: dataDecodingStrategy,
                float: nonConformingFloatDecodingStrategy, key: keyDecodingStrategy,
                userInfo: userInfo)
        }

        /// The database of the first reference in a value; `nil` if the value holds no reference.
        private static func firestore(of value: Any) -> Firestore? {
            switch value {
            case let reference as DocumentReference: reference.firestore
            case let map as [String: Any]: map.values.lazy.compactMap(firestore).first
            case let elements as [Any]: elements.lazy.compactMap(firestore).first
            default: nil
            }
        }
    }
}
