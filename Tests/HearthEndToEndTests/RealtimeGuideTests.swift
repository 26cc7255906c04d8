import Hearth
import HearthTestSupport
import Testing

/// The Swift of the guide "Read and write data" of the Realtime Database compiles and runs as it stands.
///
/// Only the imports are others, and the guide's pieces stand in functions that name what the guide
/// takes for granted. Where the guide leaves "..." to its reader, some pieces say what they were told.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct RealtimeGuideTests {
    static let guide = #"""
        import Foundation
        import Hearth

        struct User {
            let username: String
        }

        /// What the guide's closures were told.
        enum Told {
            static let lines = AsyncStream.makeStream(of: String.self)

            static func note(_ line: String) { lines.continuation.yield(line) }
        }

        final class Guide {
            var ref: DatabaseReference!
            var postRef: DatabaseReference!
            var refHandle: DatabaseHandle!
            let user = Auth.auth().currentUser!
            let username = "Ada", title = "On engines", body = "...", postID = "1"
            var userID: String { user.uid }
            var uid: String { user.uid }

            func reference() {
                ref = Database.database().reference()
                postRef = ref.child("posts/1")
            }

            func write() {
                self.ref.child("users").child(user.uid).setValue(["username": username])
                self.ref.child("users/\(user.uid)/username").setValue(username)
            }

            func listen() {
                refHandle = postRef.observe(DataEventType.value, with: { snapshot in
                  // ...
                  Told.note("posts/1 exists: \(snapshot.exists())")
                })
            }

            func readOnce() async {
                do {
                  let snapshot = try await ref.child("users/\(uid)/username").getData()
                  let userName = snapshot.value as? String ?? "Unknown"
                  print(userName)
                } catch {
                  print(error)
                }
            }

            func observeOnce() {
                let userID = Auth.auth().currentUser?.uid
                ref.child("users").child(userID!).observeSingleEvent(of: .value, with: { snapshot in
                  // Get user value
                  let value = snapshot.value as? NSDictionary
                  let username = value?["username"] as? String ?? ""
                  let user = User(username: username)

                  // ...
                  Told.note("user: \(user.username)")
                }) { error in
                  print(error.localizedDescription)
                }
            }

            func update() {
                guard let key = ref.child("posts").childByAutoId().key else { return }
                let post = ["uid": userID,
                            "author": username,
                            "title": title,
                            "body": body]
                let childUpdates = ["/posts/\(key)": post,
                                    "/user-posts/\(userID)/\(key)/": post]
                ref.updateChildValues(childUpdates)
            }

            func complete() async {
                do {
                  try await ref.child("users").child(user.uid).setValue(["username": username])
                  print("Data saved successfully!")
                } catch {
                  print("Data could not be saved: \(error).")
                }
            }

            func detach() {
                postRef.removeObserver(withHandle: refHandle)
                postRef.removeAllObservers()
                ref.removeValue()
                ref.setValue(nil)
            }

            func star() {
                ref.runTransactionBlock({ (currentData: MutableData) -> TransactionResult in
                  if var post = currentData.value as? [String: AnyObject],
                    let uid = Auth.auth().currentUser?.uid {
                    var stars: [String: Bool]
                    stars = post["stars"] as? [String: Bool] ?? [:]
                    var starCount = post["starCount"] as? Int ?? 0
                    if let _ = stars[uid] {
                      // Unstar the post and remove self from stars
                      starCount -= 1
                      stars.removeValue(forKey: uid)
                    } else {
                      // Star the post and add self to stars
                      starCount += 1
                      stars[uid] = true
                    }
                    post["starCount"] = starCount as AnyObject?
                    post["stars"] = stars as AnyObject?

                    // Set value and report transaction success
                    currentData.value = post

                    return TransactionResult.success(withValue: currentData)
                  }
                  return TransactionResult.success(withValue: currentData)
                }) { error, committed, snapshot in
                  if let error = error {
                    print(error.localizedDescription)
                  }
                }
            }

            func increment() {
                let updates = [
                  "posts/\(postID)/stars/\(userID)": true,
                  "posts/\(postID)/starCount": ServerValue.increment(1),
                  "user-posts/\(postID)/stars/\(userID)": true,
                  "user-posts/\(postID)/starCount": ServerValue.increment(1)
                ] as [String : Any]
                Database.database().reference().updateChildValues(updates)
            }
        }

        """#

    @Test(arguments: [5, 6])
    func `the guide's Swift compiles with another import`(language: Int) throws {
        let compiler = ProgramCompiler(try World(isOnline: false))
        let outcome = try compiler.check("guide", Self.guide, language: language)
        #expect(outcome.status == 0, "\(outcome.messages)")
    }

    /// Follows the guide from its first heading to its last.
    private static let reader = """
        import Hearth

        func follow(_ guide: Guide) async throws {
            var told = Told.lines.stream.makeAsyncIterator()
            guide.reference()
            guide.listen()
            print(await told.next() ?? "")
            guide.write()
            await guide.readOnce()
            guide.observeOnce()
            print(await told.next() ?? "")
            guide.update()
            await guide.complete()
            // What a reader of this heading calls `ref` is one post.
            guide.ref = guide.postRef
            guide.increment()
            print(await told.next() ?? "")
            guide.star()
            // Transactions of one place run in their order.
            let post = try await guide.ref.runTransactionBlock { .success(withValue: $0) }
            print(post.1.childSnapshot(forPath: "starCount").value ?? "", post.1.hasChild("stars"))
            guide.detach()
            try await Database.database().waitForPendingWrites()
        }
        Database.setLoggingEnabled(true)
        try await follow(Guide())

        """

    @Test func `the guide's Swift does what the guide says, and the log tells of the connection`()
        async throws
    {
        let world = try World()
        let flags = ["--realtime.emulator", world.emulatorAddress, "--upstream.user", "ada"]
        let machine = try world.machine("machine", flags)
        let sources = [
            world.write(Self.guide, to: "guide.swift"), world.write(Self.reader, to: "main.swift"),
        ]
        let path = try ProgramCompiler(world).program("reader", sources)
        let process = try ChildProcess(
            path, [], log: "\(world.folder.path)/reader-errors.log",
            output: "\(world.folder.path)/reader.log",
            environment: ["HEARTH_SOCKET=\(machine.socketPath)"])
        #expect(process.exitStatus() == 0, "\(world.log("reader-errors"))")
        #expect(world.log("reader-errors").contains("hearth: connecting to"))
        // The star that the increment gave is taken back by the transaction.
        #expect(
            world.log("reader").split(separator: "\n") == [
                "posts/1 exists: false", "Ada", "user: Ada", "Data saved successfully!",
                "posts/1 exists: true", "0 false",
            ])
        // Another machine finds what the backend has. The post itself was removed in the end.
        let witness = try world.machine("witness", Array(flags.prefix(2)))
        let database = Database(
            settings: DatabaseSettings(
                socketPath: witness.socketPath, connectTimeout: .seconds(20)))
        let root = try await database.reference().getData()
        #expect(root.childSnapshot(forPath: "users/ada/username").value as? String == "Ada")
        let posts = root.childSnapshot(forPath: "posts").children.map { $0.key }
        let others = root.childSnapshot(forPath: "user-posts/ada").children.map { $0.key }
        #expect(posts.count == 1 && posts == others)
        let title = root.childSnapshot(forPath: "posts/\(posts.first ?? "")/title")
        #expect(title.value as? String == "On engines")
        let copy = root.childSnapshot(forPath: "user-posts/1")
        #expect(copy.childSnapshot(forPath: "starCount").value as? Int == 1)
        #expect(copy.childSnapshot(forPath: "stars/ada").value as? Bool == true)
    }
}
