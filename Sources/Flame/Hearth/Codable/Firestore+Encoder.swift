#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension Firestore {
    /// Turns a value of an `Encodable` type into what `setData` takes.
    ///
    /// Only one thread at a time may use an encoder. Each thread may have its own encoder.
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
            /// As the function writes the date.
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
            /// As the function writes the bytes.
            case custom(@Sendable (Data, any Swift.Encoder) throws -> Void)
        }

        /// How infinities and NaN are written.
        public enum NonConformingFloatEncodingStrategy: Sendable {
            /// As doubles: Firestore can hold infinities and NaN.
            case keep
            /// Not at all: encoding throws an `EncodingError`.
            case `throw`
            /// As these strings.
            case convertToString(positiveInfinity: String, negativeInfinity: String, nan: String)
        }

        /// How the keys of a type become names of fields. The keys of a dictionary stay as they
        /// are.
        public enum KeyEncodingStrategy: Sendable {
            /// Keys stay as they are.
            case useDefaultKeys
            /// `myURLProperty` as `my_url_property`.
            case convertToSnakeCase
            /// The function returns the name. The function gets the keys on the path from the
            /// document down to the field, the field's own key last.
            case custom(@Sendable ([any CodingKey]) -> any CodingKey)
        }

        /// How dates are written.
        public var dateEncodingStrategy = DateEncodingStrategy.timestamp
        /// How `Data` is written.
        public var dataEncodingStrategy = DataEncodingStrategy.blob
        /// How infinities and NaN are written.
        public var nonConformingFloatEncodingStrategy = NonConformingFloatEncodingStrategy.keep
        /// How keys become names of fields.
        public var keyEncodingStrategy = KeyEncodingStrategy.useDefaultKeys
        /// Values that types with their own `encode(to:)` can look up.
        public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

        /// An encoder with strategies that suit Firestore.
        public init() {}

        /// Turns a value into fields. The encoder leaves out optionals that are `nil`.
        ///
        /// - Throws: `FirestoreError` `invalidArgument` for a value that has no fields;
        ///   `EncodingError` for a number that the strategies refuse; or the errors of the type's
        ///   own `encode(to:)`.
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
