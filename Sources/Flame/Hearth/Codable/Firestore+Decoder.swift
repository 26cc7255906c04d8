#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
import HearthModel

extension Firestore {
    /// Makes a value of a `Decodable` type of a document.
    ///
    /// Not for several threads at once; each may have its own.
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
            /// As the function reads it.
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
            /// As the function reads it.
            case custom(@Sendable (any Swift.Decoder) throws -> Data)
        }

        /// Whether strings can stand for infinities and what is not a number.
        public enum NonConformingFloatDecodingStrategy: Sendable {
            /// No: a string is no number.
            case `throw`
            /// Yes, these.
            case convertFromString(positiveInfinity: String, negativeInfinity: String, nan: String)
        }

        /// How the names of fields become keys of a type. Those of a dictionary stay as they are.
        public enum KeyDecodingStrategy: Sendable {
            /// As they are.
            case useDefaultKeys
            /// `my_url_property` as `myUrlProperty`.
            case convertFromSnakeCase
            /// As the function says, which is given the names from the document down to this one.
            case custom(@Sendable ([any CodingKey]) -> any CodingKey)
        }

        /// How dates are read.
        public var dateDecodingStrategy = DateDecodingStrategy.timestamp
        /// How `Data` is read.
        public var dataDecodingStrategy = DataDecodingStrategy.blob
        /// Whether strings can stand for infinities and what is not a number.
        public var nonConformingFloatDecodingStrategy = NonConformingFloatDecodingStrategy.throw
        /// How the names of fields become keys.
        public var keyDecodingStrategy = KeyDecodingStrategy.useDefaultKeys
        /// What types that decode themselves can ask for.
        public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

        /// A decoder with strategies that suit Firestore.
        public init() {}

        /// Reads a document's fields.
        ///
        /// - Throws: `FirestoreError` `notFound` if there is no document; `DecodingError` if its
        ///   fields do not fit.
        public func decode<T: Decodable>(
            _ type: T.Type, from snapshot: DocumentSnapshot,
            with serverTimestampBehavior: ServerTimestampBehavior = .none
        ) throws -> T {
            try strategies.decode(type, from: snapshot, with: serverTimestampBehavior)
        }

        /// Reads fields as `setData` takes them, as if they were those of a document.
        ///
        /// - Parameter document: Whose fields they are. Without it, a `@DocumentID` cannot be read.
        /// - Throws: `FirestoreError` `invalidArgument` for data that Firestore cannot hold;
        ///   `DecodingError` if they do not fit.
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

        /// What is set now.
        var strategies: DecodingStrategies {
            DecodingStrategies(
                date: dateDecodingStrategy, data: dataDecodingStrategy,
                float: nonConformingFloatDecodingStrategy, key: keyDecodingStrategy,
                userInfo: userInfo)
        }

        /// Whose references stand in a value; `nil` if none do.
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
