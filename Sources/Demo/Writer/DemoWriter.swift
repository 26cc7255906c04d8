@main struct DemoWriter { static func main() {} }
