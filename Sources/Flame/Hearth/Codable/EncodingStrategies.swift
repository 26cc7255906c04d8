#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The choices of an encoder where a type leaves several ways open.
final class EncodingStrategies: Sendable {
    let date: Firestore.Encoder.DateEncodingStrategy
    let data: Firestore.Encoder.DataEncodingStrategy
    let float: Firestore.Encoder.NonConformingFloatEncodingStrategy
    let key: Firestore.Encoder.KeyEncodingStrategy
    let userInfo: [CodingUserInfoKey: any Sendable]
    /// Whether the value is for the Realtime Database, where the server's times are milliseconds
    /// whatever the strategy for dates is.
    let isRealtime: Bool

    init(
        date: Firestore.Encoder.DateEncodingStrategy, data: Firestore.Encoder.DataEncodingStrategy,
        float: Firestore.Encoder.NonConformingFloatEncodingStrategy,
        key: Firestore.Encoder.KeyEncodingStrategy, userInfo: [CodingUserInfoKey: any Sendable],
        isRealtime: Bool = false
    ) {
        self.isRealtime = isRealtime
        self.date = date
        self.data = data
        self.float = float
        self.key = key
        self.userInfo = userInfo
    }

    /// The field's name for a key.
    ///
    /// - Parameter path: The keys above the field.
    func name(of key: some CodingKey, at path: [any CodingKey]) -> String {
        switch self.key {
        case .useDefaultKeys: key.stringValue
        case .convertToSnakeCase: SnakeCase.snake(key.stringValue)
        case .custom(let convert): convert(path + [key]).stringValue
        }
    }

    /// Writes a value of a type that has a strategy, or that Foundation would take apart.
    ///
    /// - Returns: Whether the value is of such a type; if not, nothing was written.
    func write(_ value: any Encodable, to encoder: FieldEncoder) throws -> Bool {
        switch value {
        case let property as any ServerTimestampProperty where isRealtime:
            try encoder.set(property.moment() ?? FieldValue.serverTimestamp())
        case let date as Date: try write(date, to: encoder)
        case let data as Data: try write(data, to: encoder)
        case let url as URL: encoder.set(url.absoluteString)
        case let number as Decimal: encoder.set(Double("\(number)") ?? .nan)
        case let number as Double where !number.isFinite: try write(number, to: encoder)
        case let number as Float where !number.isFinite: try write(Double(number), to: encoder)
        default: return false
        }
        return true
    }

    private func write(_ date: Date, to encoder: FieldEncoder) throws {
        switch self.date {
        case .timestamp: encoder.set(date)
        case .deferredToDate: try date.encode(to: encoder)
        case .secondsSince1970: encoder.set(date.timeIntervalSince1970)
        case .millisecondsSince1970: encoder.set(date.timeIntervalSince1970 * 1_000)
        case .iso8601:
            let moment = try Timestamp(checking: date)
            encoder.set(Timestamp(seconds: moment.seconds, nanoseconds: 0).description)
        case .custom(let write): try write(date, encoder)
        }
    }

    private func write(_ data: Data, to encoder: FieldEncoder) throws {
        switch self.data {
        case .blob: encoder.set(data)
        case .deferredToData: try data.encode(to: encoder)
        case .base64: encoder.set(data.base64EncodedString())
        case .custom(let write): try write(data, encoder)
        }
    }

    private func write(_ number: Double, to encoder: FieldEncoder) throws {
        switch float {
        case .keep: encoder.set(number)
        case .throw:
            throw EncodingError.invalidValue(
                number,
                EncodingError.Context(
                    codingPath: encoder.codingPath,
                    debugDescription: "\(number) is to be refused, as the encoder was told."))
        case .convertToString(let positive, let negative, let nan):
            encoder.set(number.isNaN ? nan : number > 0 ? positive : negative)
        }
    }
}
