import GatehouseServer
@main struct C { static func main() {} }
