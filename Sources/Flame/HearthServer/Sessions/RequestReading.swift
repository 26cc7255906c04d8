import HearthEngine
import HearthModel
import HearthProtocol
import HearthWire

/// Reads the request of a frame, and finds out what takes long to find out about a large request.
///
/// The reading is a value of its own, so another thread can read a large frame while the session's
/// event loop serves other sessions.
package struct RequestReading: Sendable {
    /// A large request, as it was read.
    package struct Outcome: Sendable {
        let request: Result<Request, WireError>
        let findings: Findings?
        let byteCount: Int
    }

    /// What is known of a request before the request enters.
    struct Findings: Sendable {
        let traits: RequestTraits
        /// Why the rules do not let the request enter; `nil` if they do.
        let accessRefusal: AccessRefusal?
        /// The number of the access rights that decided `accessRefusal`.
        let grantNumber: Int
        /// Why the backend could never take what the request names; `nil` if the backend could.
        let objection: HearthError?
    }

    let codec: WireCodec
    let grant: AccessGrant?
    let grantNumber: Int

    /// Reads a request. O(n) in the size of the body.
    package func read(kind: UInt8, body: RawSpan) -> Outcome {
        do throws(WireError) {
            let request = try codec.request(kind: kind, body: body)
            return Outcome(
                request: .success(request), findings: findings(about: request),
                byteCount: body.byteCount)
        } catch {
            return Outcome(request: .failure(error), findings: nil, byteCount: body.byteCount)
        }
    }

    private func findings(about request: Request) -> Findings {
        let traits = request.traits
        return Findings(
            traits: traits,
            accessRefusal: grant.flatMap { RequestAccess.refusal(of: traits, by: $0) },
            grantNumber: grantNumber,
            objection: codec.key.flatMap { traits.contents.objection(in: $0) })
    }
}

extension RequestContents {
    /// Why what a request names can never be sent upstream, whatever the backend holds; `nil` if
    /// the contents can be sent.
    ///
    /// - Parameter key: The database that the contents are for.
    /// - Complexity: O(n) in the size of the contents.
    func objection(in key: EngineKey) -> HearthError? {
        switch (self, key) {
        case (.mutations(let mutations), .firestore(let database)):
            return FirestoreCodec(database: database).refusalToSend(mutations)
        case (.change(let change), .realtime):
            return change.objection.map {
                HearthError(
                    code: .invalidArgument, message: "The write cannot be made: \($0).")
            }
        default: return nil
        }
    }
}
