#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import HearthModel

/// The choices of a decoder where a type leaves several ways open.
final class DecodingStrategies: Sendable {
    let date: Firestore.Decoder.DateDecodingStrategy
    let data: Firestore.Decoder.DataDecodingStrategy
    let float: Firestore.Decoder.NonConformingFloatDecodingStrategy
    let key: Firestore.Decoder.KeyDecodingStrategy
    let userInfo: [CodingUserInfoKey: any Sendable]

    init(
        date: Firestore.Decoder.DateDecodingStrategy, data: Firestore.Decoder.DataDecodingStrategy,
        float: Firestore.Decoder.NonConformingFloatDecodingStrategy,
        key: Firestore.Decoder.KeyDecodingStrategy, userInfo: [CodingUserInfoKey: any Sendable]
    ) {
        self.date = date
        self.data = data
        self.float = float
        self.key = key
        self.userInfo = userInfo
    }

    /// Reads a document's fields. See `Firestore.Decoder`.
    func decode<T: Decodable>(
        _ type: T.Type, from snapshot: DocumentSnapshot, with behavior: ServerTimestampBehavior
    ) throws -> T {
        guard let document = snapshot.document else {
            throw FirestoreError(.notFound, "There is no document \(snapshot.reference).")
        }
        return try FieldDecoder.decode(
            type, from: document.fields,
            FieldDecoder.Context(
                reference: snapshot.reference, firestore: snapshot.reference.firestore,
                behavior: behavior, strategies: self))
    }

    /// A map with its fields renamed to the keys that a type looks up.
    ///
    /// If two fields get the same name, the first field stays.
    ///
    /// - Parameter path: The keys above the map's fields.
    func renamed(_ map: MapValue, at path: [any CodingKey]) -> MapValue {
        let name: (String) -> String
        switch key {
        case .useDefaultKeys: return map
        case .convertFromSnakeCase: name = SnakeCase.camel
        case .custom(let convert): name = { convert(path + [IndexKey($0)]).stringValue }
        }
        var renamed = MapValue.empty
        for entry in map.entries.reversed() {
            renamed.set(HearthModel.FieldPath([name(entry.key)]), to: entry.value)
        }
        return renamed
    }

    /// Reads a value of a type that has a strategy, or that Foundation would put together: `Date`,
    /// `Data`, `URL` or `Decimal`.
    ///
    /// - Returns: `nil` for other types.
    func read(_ type: any Decodable.Type, from decoder: FieldDecoder) throws -> Any? {
        if type == Date.self { return try date.date(from: decoder) }
        if type == Data.self { return try data.data(from: decoder) }
        if type == URL.self { return try Self.url(from: decoder) }
        if type == Decimal.self { return Decimal(try decoder.decode(Double.self)) }
        return nil
    }

    private static func url(from decoder: FieldDecoder) throws -> URL {
        let text = try decoder.decode(String.self)
        guard let url = URL(string: text) else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: decoder.codingPath,
                    debugDescription: "The field holds a string that is no URL."))
        }
        return url
    }

    /// The number that a string stands for; `nil` if it stands for none.
    func number(_ text: String) -> Double? {
        guard case .convertFromString(let positive, let negative, let nan) = float else {
            return nil
        }
        return switch text {
        case positive: .infinity
        case negative: -.infinity
        case nan: .nan
        default: nil
        }
    }
}

extension Firestore.Decoder.DateDecodingStrategy {
    func date(from decoder: any Swift.Decoder) throws -> Date {
        let container = try decoder.singleValueContainer()
        switch self {
        case .timestamp: return try Self.timestamp(fallback: .deferredToDate).date(from: decoder)
        case .deferredToDate: return try Date(from: decoder)
        case .secondsSince1970:
            return Date(timeIntervalSince1970: try container.decode(Double.self))
        case .millisecondsSince1970:
            return Date(timeIntervalSince1970: try container.decode(Double.self) / 1_000)
        case .iso8601:
            let text = try container.decode(String.self)
            guard let moment = Timestamp(text) else {
                throw DecodingError.dataCorrupted(
                    DecodingError.Context(
                        codingPath: decoder.codingPath,
                        debugDescription: "\"\(text)\" is no time such as 2026-01-02T03:04:05Z."))
            }
            return moment.dateValue()
        case .custom(let read): return try read(decoder)
        }
    }
}

extension Firestore.Decoder.DataDecodingStrategy {
    func data(from decoder: any Swift.Decoder) throws -> Data {
        let container = try decoder.singleValueContainer()
        switch self {
        case .blob: return Data(try container.decode([UInt8].self))
        case .deferredToData: return try Data(from: decoder)
        case .base64:
            guard let data = Data(base64Encoded: try container.decode(String.self)) else {
                throw DecodingError.dataCorrupted(
                    DecodingError.Context(
                        codingPath: decoder.codingPath,
                        debugDescription: "The field holds a string that is not in Base64."))
            }
            return data
        case .custom(let read): return try read(decoder)
        }
    }
}

/// A dictionary with names as keys. Such names are data, not names of a type's properties.
protocol NamedValues {}

extension Dictionary: NamedValues where Key == String {}
