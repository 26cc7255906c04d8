import HearthWire
import Synchronization
import Testing

@testable import Hearth

/// Who is told how far a bundle has come.
struct LoadBundleTaskTests {
    private func progress(_ count: Int, isFinished: Bool = false) -> LoadBundleTaskProgress {
        LoadBundleTaskProgress(
            Event.BundleProgress(
                documentsLoaded: count, totalDocuments: 2, bytesLoaded: 1, totalBytes: 2,
                isFinished: isFinished))
    }

    @Test(arguments: [0, 1, 2], [false, true])
    func `a bundle of which nothing was taken is a success that says so`(
        count: Int, isFinished: Bool
    ) {
        let told = progress(count, isFinished: isFinished)
        #expect(told.wasSkipped == (count == 0 && isFinished))
        // As with the SDKs, who has the bundle has all its documents.
        #expect(told.documentsLoaded == (told.wasSkipped ? 2 : count))
        #expect(told.state == (isFinished ? .success : .inProgress))
        #expect(!told.failed.wasSkipped)
    }

    /// Waits until all that was called back before has been called.
    private func settle(_ callbacks: CallbackThread) async {
        await withCheckedContinuation { continuation in
            callbacks.enqueue { continuation.resume() }
        }
    }

    @Test func `a bundle's observers are told until they are removed`() async {
        let callbacks = CallbackThread()
        defer { callbacks.close() }
        let task = LoadBundleTask(callbacks: callbacks)
        let first = Mutex<[Int]>([])
        let second = Mutex<[Int]>([])
        let handle = task.addObserver { told in first.withLock { $0.append(told.documentsLoaded) } }
        task.addObserver { told in second.withLock { $0.append(told.documentsLoaded) } }
        task.moved(to: progress(1))
        await settle(callbacks)
        task.removeObserverWith(handle: handle)
        task.moved(to: progress(2))
        await settle(callbacks)
        task.removeAllObservers()
        task.finished(.success(progress(3, isFinished: true)))
        await settle(callbacks)
        #expect(first.withLock { $0 } == [0, 1])
        #expect(second.withLock { $0 } == [0, 1, 2])
    }

    @Test func `a bundle that fails is told with its error`() async throws {
        let callbacks = CallbackThread()
        defer { callbacks.close() }
        let task = LoadBundleTask(callbacks: callbacks)
        task.moved(to: progress(1))
        task.finished(.failure(FirestoreError(.invalidArgument, "No bundle.")))
        let (state, error) = await withCheckedContinuation { continuation in
            task.whenDone { continuation.resume(returning: ($0.state, $1)) }
        }
        #expect(state == .error)
        #expect((error as? FirestoreError)?.code == .invalidArgument)
    }
}
