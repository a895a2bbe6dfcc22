/** Domains where anybody can have a mailbox. Who claimed one would receive the sign-ins of strangers. */
export const publicMailDomains: ReadonlySet<string> = new Set(
  `126.com 139.com 163.com 189.cn 21cn.com aim.com alice.it aliyun.com aol.co.uk aol.com aol.de aol.fr arcor.de
  att.net bell.net bellsouth.net bigmir.net bigpond.com bk.ru blueyonder.co.uk bluewin.ch bol.com.br btinternet.com
  centrum.cz charter.net chello.at comcast.net cox.net daum.net disroot.org docomo.ne.jp earthlink.net email.com
  email.cz email.it ezweb.ne.jp fastmail.com fastmail.fm fastmail.us firefoxmail.com foxmail.com free.fr freemail.hu
  freenet.de gmail.com gmx.at gmx.ch gmx.com gmx.de gmx.fr gmx.net googlemail.com guerrillamail.com hanmail.net
  hey.com home.nl hotmail.be hotmail.co.jp hotmail.co.uk hotmail.com hotmail.com.ar hotmail.com.br hotmail.de
  hotmail.es hotmail.fr hotmail.it hotmail.nl hushmail.com i.ua icloud.com inbox.com inbox.lv inbox.ru interia.pl
  keemail.me kolabnow.com laposte.net libero.it list.ru live.be live.ca live.cn live.co.uk live.com live.com.au
  live.de live.fr live.it live.nl live.se lycos.com mac.com mail.com mail.ee mail.ru mailbox.org mailfence.com
  mailinator.com me.com msn.com mweb.co.za nate.com naver.com netcologne.de netscape.net neuf.fr ntlworld.com
  o2.co.uk o2.pl online.de onet.pl optonline.net optusnet.com.au orange.fr outlook.be outlook.co.th outlook.com
  outlook.com.au outlook.com.br outlook.de outlook.es outlook.fr outlook.ie outlook.in outlook.it outlook.jp
  outlook.kr outlook.pt passport.com planet.nl pm.me poczta.onet.pl posteo.de posteo.net proton.me protonmail.ch
  protonmail.com qq.com rambler.ru rediffmail.com riseup.net rocketmail.com rogers.com runbox.com sapo.pt sbcglobal.net
  seznam.cz sfr.fr shaw.ca sina.cn sina.com skynet.be sky.com sohu.com softbank.ne.jp startmail.com swbell.net
  sympatico.ca t-online.de talk21.com talktalk.net telenet.be telia.com telus.net temp-mail.org terra.com.br tin.it
  tiscali.co.uk tiscali.it tom.com tuta.com tuta.io tutamail.com tutanota.com tutanota.de ukr.net uol.com.br
  ut.ee verizon.net virgilio.it virgin.net virginmedia.com vodafone.de volny.cz wanadoo.fr web.de windowslive.com
  windstream.net wp.pl xs4all.nl xtra.co.nz yahoo.ca yahoo.cn yahoo.co.id yahoo.co.in yahoo.co.jp yahoo.co.kr
  yahoo.co.nz yahoo.co.th yahoo.co.uk yahoo.co.za yahoo.com yahoo.com.ar yahoo.com.au yahoo.com.br yahoo.com.cn
  yahoo.com.hk yahoo.com.mx yahoo.com.my yahoo.com.ph yahoo.com.sg yahoo.com.tr yahoo.com.tw yahoo.com.vn yahoo.de
  yahoo.dk yahoo.es yahoo.fr yahoo.gr yahoo.ie yahoo.in yahoo.it yahoo.no yahoo.pl yahoo.ro yahoo.se yandex.com
  yandex.kz yandex.ru yandex.ua yeah.net ymail.com yopmail.com zoho.com zoho.eu zohomail.com zonnet.nl`.split(
    /\s+/,
  ),
)
