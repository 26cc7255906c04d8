import HearthModel

extension DecodingError {
    /// The same error, with a description that begins with the document, if it is known, and the field.
    func named(in document: DocumentReference?) -> DecodingError {
        switch self {
        case .typeMismatch(let type, let context):
            .typeMismatch(type, Self.named(context, nil, document))
        case .valueNotFound(let type, let context):
            .valueNotFound(type, Self.named(context, nil, document))
        case .keyNotFound(let key, let context):
            .keyNotFound(key, Self.named(context, key, document))
        case .dataCorrupted(let context):
            .dataCorrupted(Self.named(context, nil, document))
        @unknown default:
            self
        }
    }

    /// - Parameters:
    ///   - key: The key that the decoder looked for below the context's path.
    ///   - document: The document, if it is known.
    private static func named(
        _ context: Context, _ key: (any CodingKey)?, _ document: DocumentReference?
    ) -> Context {
        let names = (context.codingPath + [key].compactMap { $0 }).map(\.stringValue)
        let field = names.isEmpty ? nil : "field \(HearthModel.FieldPath(names))"
        let place = [document?.path, field].compactMap { $0 }.joined(separator: ", ")
        return Context(
            codingPath: context.codingPath,
            debugDescription: (place.isEmpty ? "" : "\(place): ") + context.debugDescription,
            underlyingError: context.underlyingError)
    }
}
