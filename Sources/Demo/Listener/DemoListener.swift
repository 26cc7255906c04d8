@main struct DemoListener { static func main() {} }
