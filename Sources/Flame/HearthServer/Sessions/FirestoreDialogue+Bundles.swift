import HearthEngine
import HearthFirestore
import HearthModel
import HearthWire

/// Bundles, which come in parts and are kept until they are whole.
extension FirestoreDialogue {
    /// A part has come.
    mutating func received(
        _ part: FirestoreRequest.BundlePart, _ number: UInt64, _ owed: inout OwedAnswers
    ) -> [Action] {
        var begun = BegunBundle(reader: BundleReader(database: database))
        if case .bundle(let earlier)? = owed[number] { begun = earlier }
        owed[number] = nil  // So that `begun` is the only reference and grows in place.
        begunBundles[number] = nil
        begun.byteCount += part.data.count
        let byteCount = owed.bundleByteCount + begun.byteCount
        guard byteCount <= memory.bundleByteCountMax else {
            return [.reply(.failed(tooMuch(byteCount)), number)]
        }
        begun.reader.append(part.data)
        guard part.hasMore else { return load(begun, number, &owed) }
        owed[number] = .bundle(begun)
        bundlePartCount += 1
        begunBundles[number] = bundlePartCount
        let progress = Event.BundleProgress(begun.reader.progress, isFinished: false)
        return [.reply(.bundleProgress(progress), number)]
    }

    /// The access rules do not allow a part of a bundle, so the parts before it are of no use.
    mutating func refused(_ number: UInt64, _ owed: inout OwedAnswers) {
        guard case .bundle? = owed[number] else { return }
        owed[number] = nil
        begunBundles[number] = nil
    }

    /// Fails the bundles unchanged since `earlier`: the next part has not come in time.
    ///
    /// - Parameter earlier: The value of `begunBundles` at the start of that time.
    mutating func bundlesTimedOut(
        _ earlier: [UInt64: UInt64], _ owed: inout OwedAnswers
    ) -> [Action] {
        var actions: [Action] = []
        for number in earlier.keys.sorted() where begunBundles[number] == earlier[number] {
            owed[number] = nil
            begunBundles[number] = nil
            let error = HearthError(
                code: .deadlineExceeded,
                message: "The next part of the bundle has not come within "
                    + "limits.bundleSecondsMax = \(memory.bundleSecondsMax) seconds. "
                    + "Load the bundle again.")
            actions.append(.reply(.failed(error), number))
        }
        return actions
    }

    private func tooMuch(_ byteCount: Int) -> HearthError {
        HearthError(
            code: .resourceExhausted,
            message: "The bundles that the session has begun would have \(byteCount) bytes, and "
                + "the limit is limits.bundleByteCountMax = \(memory.bundleByteCountMax) bytes. "
                + "Load one after another, or a smaller one.")
    }

    private func load(
        _ begun: BegunBundle, _ number: UInt64, _ owed: inout OwedAnswers
    ) -> [Action] {
        do throws(BundleError) {
            let bundle = try begun.reader.finish()
            owed[number] = .loading(byteCount: begun.byteCount)
            return [.submit(.firestore(.loadBundle(identity.request(number), bundle)))]
        } catch {
            let error = HearthError(code: .invalidArgument, message: error.description)
            return [.reply(.failed(error), number)]
        }
    }
}

/// A bundle whose last part has not come.
struct BegunBundle: Sendable {
    /// Reads each part as the part comes, so that the last part finds little left to do.
    var reader: BundleReader
    /// Bytes that have come.
    var byteCount = 0
}
