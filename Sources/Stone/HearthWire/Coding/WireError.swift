package import HearthEngine
package import HearthModel
package import HearthProtocol

/// An error in the body of a frame. The request fails; the session can go on.
package enum WireError: Error, Hashable, Sendable {
    /// This version does not know the kind.
    case unknownKind(UInt8)
    /// Before the handshake only `hello`, `welcome`, `done` and `failed` can be read.
    case noDatabaseYet
    /// The message is about another kind of database than the session's.
    case otherService(EngineKey)
    /// The body does not go into one frame.
    case tooLarge(byteCount: Int)
    /// A part of the body cannot be read, or cannot be written.
    case codec(CodecError)
    /// The body can be read, but asks for something that Firestore refuses.
    case refused(HearthError)
}

extension WireError {
    /// The error in the form for the other side.
    package var hearthError: HearthError {
        switch self {
        case .unknownKind:
            HearthError(code: .unimplemented, message: description)
        case .noDatabaseYet, .otherService:
            HearthError(code: .failedPrecondition, message: description)
        case .codec, .tooLarge:
            HearthError(code: .invalidArgument, message: description)
        case .refused(let error):
            error
        }
    }
}

extension WireError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unknownKind(let kind): "A frame of kind \(kind) has no meaning in this version."
        case .noDatabaseYet: "A session begins with Hello; nothing else can come before it."
        case .otherService(.firestore(let database)):
            "The session is with \(database), a Firestore database, and the message is for the "
                + "Realtime Database. Name an instance in Hello."
        case .otherService(.realtime(let instance)):
            "The session is with \(instance), an instance of the Realtime Database, and the "
                + "message is for Firestore. Name a Firestore database in Hello."
        case .tooLarge(let byteCount):
            "The message has \(byteCount) bytes; a frame holds \(Frame.bodyByteCountMax)."
        case .codec(let error): error.description
        case .refused(let error): error.description
        }
    }
}

/// Evaluates `body`. An error gets `place` as its outermost level.
func at<Result>(
    _ place: @autoclosure () -> String, _ body: @autoclosure () throws(CodecError) -> Result
) throws(WireError) -> Result {
    do throws(CodecError) {
        return try body()
    } catch {
        throw .codec(error.inside(place()))
    }
}

/// Reads the elements of a repeated field. An error names the field and the index.
func each<Proto, Result>(
    _ place: String, _ protos: [Proto], _ read: (Proto) throws(CodecError) -> Result
) throws(WireError) -> [Result] {
    var results: [Result] = []
    results.reserveCapacity(protos.count)
    for proto in protos {
        do throws(CodecError) {
            results.append(try read(proto))
        } catch {
            throw .codec(error.inside("\(place)[\(results.count)]"))
        }
    }
    return results
}
