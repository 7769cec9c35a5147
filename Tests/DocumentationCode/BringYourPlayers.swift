import Gamebase

/// What a game keeps of its last build with NHN's library.
struct FormerSession {
    let userId: String
    let accessToken: String

    static var kept: FormerSession? { nil }
    static func forget() {}
}

func play(_ token: TCGBAuthToken?) {}
func showTitle(_ error: TCGBError) {}
func showSupport(_ error: TCGBError) {}
func offerLogin(with providers: [String]) {}
