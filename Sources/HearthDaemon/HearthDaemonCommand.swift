@main struct HearthDaemonCommand { static func main() {} }
