/// How coders other than Hearth's code Hearth's values. Hearth's own coders keep the values whole.
extension Timestamp: Codable {
    private enum CodingKeys: String, CodingKey { case seconds, nanoseconds }

    /// Reads seconds and nanoseconds.
    ///
    /// - Throws: `DecodingError` if one of the numbers is missing or too large.
    public init(from decoder: any Swift.Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            seconds: try container.decode(Int64.self, forKey: .seconds),
            nanoseconds: try container.decode(Int32.self, forKey: .nanoseconds))
    }

    /// Writes seconds and nanoseconds.
    ///
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Swift.Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(seconds, forKey: .seconds)
        try container.encode(nanoseconds, forKey: .nanoseconds)
    }
}

extension GeoPoint: Codable {
    private enum CodingKeys: String, CodingKey { case latitude, longitude }

    /// Reads latitude and longitude.
    ///
    /// - Throws: `DecodingError` if one of the numbers is missing.
    public init(from decoder: any Swift.Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            latitude: try container.decode(Double.self, forKey: .latitude),
            longitude: try container.decode(Double.self, forKey: .longitude))
    }

    /// Writes latitude and longitude.
    ///
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Swift.Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(latitude, forKey: .latitude)
        try container.encode(longitude, forKey: .longitude)
    }
}

extension VectorValue: Codable {
    /// Reads the numbers.
    ///
    /// - Throws: `DecodingError` if there is no array of numbers.
    public init(from decoder: any Swift.Decoder) throws {
        self.init(try [Double](from: decoder))
    }

    /// Writes the numbers.
    ///
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Swift.Encoder) throws { try array.encode(to: encoder) }
}

extension DocumentReference: Codable {
    /// Throws an error: only Hearth's own decoder knows the database that a reference belongs to.
    ///
    /// - Throws: `DecodingError`.
    public init(from decoder: any Swift.Decoder) throws {
        throw DecodingError.dataCorrupted(
            DecodingError.Context(
                codingPath: decoder.codingPath,
                debugDescription: "A DocumentReference can only be read from a document."))
    }

    /// Writes the path.
    ///
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Swift.Encoder) throws { try path.encode(to: encoder) }
}

extension FieldValue: Encodable {
    /// Throws an error: only Hearth's own encoder can write an order.
    ///
    /// - Throws: `EncodingError`.
    public func encode(to encoder: any Swift.Encoder) throws {
        throw EncodingError.invalidValue(
            self,
            EncodingError.Context(
                codingPath: encoder.codingPath,
                debugDescription: "A FieldValue can only be written to a document."))
    }
}
