#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension Firestore {
    /// Turns a value of an `Encodable` type into what `setData` takes.
    ///
    /// Not for several threads at once; each may have its own.
    public final class Encoder {
        /// How dates are written.
        public enum DateEncodingStrategy: Sendable {
            /// As a timestamp.
            case timestamp
            /// As `Date` encodes itself: seconds since 2001.
            case deferredToDate
            /// As a number of seconds since 1970.
            case secondsSince1970
            /// As a number of milliseconds since 1970.
            case millisecondsSince1970
            /// As a string such as `2026-01-02T03:04:05Z`, in whole seconds.
            case iso8601
            /// As the function writes it.
            case custom(@Sendable (Date, any Swift.Encoder) throws -> Void)
        }

        /// How `Data` is written.
        public enum DataEncodingStrategy: Sendable {
            /// As bytes.
            case blob
            /// As `Data` encodes itself: an array of numbers.
            case deferredToData
            /// As a string in Base64.
            case base64
            /// As the function writes it.
            case custom(@Sendable (Data, any Swift.Encoder) throws -> Void)
        }

        /// How infinities and what is not a number are written.
        public enum NonConformingFloatEncodingStrategy: Sendable {
            /// As what they are, since Firestore has them.
            case keep
            /// Not at all: encoding throws an `EncodingError`.
            case `throw`
            /// As these strings.
            case convertToString(positiveInfinity: String, negativeInfinity: String, nan: String)
        }

        /// How the keys of a type become names of fields. Those of a dictionary stay as they are.
        public enum KeyEncodingStrategy: Sendable {
            /// As they are.
            case useDefaultKeys
            /// `myURLProperty` as `my_url_property`.
            case convertToSnakeCase
            /// As the function says, which is given the keys from the document down to this one.
            case custom(@Sendable ([any CodingKey]) -> any CodingKey)
        }

        /// How dates are written.
        public var dateEncodingStrategy = DateEncodingStrategy.timestamp
        /// How `Data` is written.
        public var dataEncodingStrategy = DataEncodingStrategy.blob
        /// How infinities and what is not a number are written.
        public var nonConformingFloatEncodingStrategy = NonConformingFloatEncodingStrategy.keep
        /// How keys become names of fields.
        public var keyEncodingStrategy = KeyEncodingStrategy.useDefaultKeys
        /// What types that encode themselves can ask for.
        public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

        /// An encoder with strategies that suit Firestore.
        public init() {}

        /// Takes a value apart into fields. Optionals that are `nil` are left out.
        ///
        /// - Throws: `FirestoreError` `invalidArgument` for a value that has no fields, or what the
        ///   type throws.
        public func encode(_ value: some Encodable) throws -> [String: Any] {
            let strategies = EncodingStrategies(
                date: dateEncodingStrategy, data: dataEncodingStrategy,
                float: nonConformingFloatEncodingStrategy, key: keyEncodingStrategy,
                userInfo: userInfo)
            guard let fields = try FieldEncoder.encode(value, by: strategies) as? [String: Any]
            else {
                throw FirestoreError(
                    .invalidArgument,
                    "A document is made of fields, but a \(type(of: value)) is a single value.")
            }
            return fields
        }
    }
}
