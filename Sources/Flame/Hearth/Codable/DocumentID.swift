/// A property that holds the document's name. The coders recognise the property by this protocol.
protocol DocumentIDProperty {
    /// Reads the name.
    init(reference: DocumentReference) throws
}

/// A type in which a document's name can be kept.
public protocol DocumentIDWrappable: Sendable {
    /// Makes a value of the name of a document.
    ///
    /// - Throws: Any error, if the type cannot hold the name.
    static func wrap(_ documentReference: DocumentReference) throws -> Self
}

extension String: DocumentIDWrappable {
    /// The last name of the path. A string can hold every name, so the call throws nothing.
    public static func wrap(_ documentReference: DocumentReference) throws -> String {
        documentReference.documentID
    }
}

extension DocumentReference: DocumentIDWrappable {
    /// The reference itself. The call throws nothing.
    public static func wrap(_ documentReference: DocumentReference) throws -> DocumentReference {
        documentReference
    }
}

/// A property that gets the document's own name when a document is read, and that writes no field.
///
///     struct Room: Codable {
///         @DocumentID var id: String?
///         var lights: Int
///     }
@propertyWrapper
public struct DocumentID<Value: DocumentIDWrappable & Codable>: Codable, Sendable,
    DocumentIDProperty
{
    /// The name; `nil` if the value was not read from a document.
    public var wrappedValue: Value?

    /// Starts without a document, or with a name.
    public init(wrappedValue: Value?) {
        self.wrappedValue = wrappedValue
    }

    init(reference: DocumentReference) throws {
        wrappedValue = try Value.wrap(reference)
    }

    /// Reads the name: of the document with Hearth's decoder, from the value itself with another
    /// decoder.
    ///
    /// - Throws: `DecodingError` if the value is no name.
    public init(from decoder: any Swift.Decoder) throws {
        if let key = FieldDecoder.referenceKey,
            let reference = decoder.userInfo[key] as? DocumentReference
        {
            wrappedValue = try Value.wrap(reference)
        } else {
            wrappedValue = try Optional<Value>(from: decoder)
        }
    }

    /// Writes the name with another encoder than Hearth's. Hearth's encoder leaves the property
    /// out.
    ///
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Swift.Encoder) throws {
        try wrappedValue.encode(to: encoder)
    }
}

extension DocumentID: Equatable where Value: Equatable {}
extension DocumentID: Hashable where Value: Hashable {}
