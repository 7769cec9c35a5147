import Foundation

let serverURL = URL(fileURLWithPath: "/")
