/// How event loops are shared.
package enum LoopLimits {
    /// The part of a loop's time that all users together get who take more than an equal share. The
    /// loop then sleeps between its rounds, so the kernel gives the loop the processor at once when
    /// another user needs the loop.
    package static let part = 0.5
    /// How many times the loop's time costs a program that has no right at all, while others use
    /// the loop. Such a program may ask some hundred times a second how the daemon is. Each such
    /// request also wakes processes, and these processes take the processor from the other users.
    package static let priceWithoutRights = 8
    /// The time that a user may take at once. Some hundred requests.
    package static let credit = Duration.milliseconds(5)
    /// How long one connection is served before the loop looks at what the user owes.
    package static let sliceTimeMax = Duration.milliseconds(1)
    /// The bytes of requests that are taken at once. Their work is what a slice may last too long.
    package static let sliceByteCount = 4 * 1_024
    /// A longer time may include a pause in which the thread had no processor. The user then pays for what
    /// the thread has used meanwhile, and in at most so long a time before: to ask what a thread has used is
    /// a system call, which each request would cost.
    package static let doubtfulTime = Duration.microseconds(200)
    /// The longest frame that is read on the event loop. A longer frame is read aside.
    package static let frameByteCountMax = 32 * 1_024
    /// The longest frame that the daemon reads from a program without any right in its database.
    /// Such a program may ask how the daemon is, and those questions are short.
    package static let questionByteCountMax = 4 * 1_024
    /// How long a user's connection is left alone at most.
    package static let pauseMax = Duration.seconds(1)
    /// What a user took fades in this time. So who comes back to a loop that another user had to
    /// himself has his own part soon, and who asks now and then takes nothing from the others.
    package static let memory = Duration.milliseconds(100)
    /// A user who was absent for this time no longer counts.
    package static let absence = Duration.seconds(1)
}
