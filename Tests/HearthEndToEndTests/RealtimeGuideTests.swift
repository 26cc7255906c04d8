import HearthTestSupport
import Testing

/// The Swift of the guide "Read and write data" of the Realtime Database compiles as it stands.
///
/// Only the imports are others, and the guide's pieces stand in functions that name what the guide
/// takes for granted.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct RealtimeGuideTests {
    static let guide = #"""
        import Foundation
        import Hearth

        struct User {
            let username: String
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
                  print(user)

                  // ...
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
}
